// Runs inside the page: measures what a reader sees. Sent over as text, so it may use nothing from outside itself.

/** What is wrong, how many texts were looked at and how many pictures, and all words of the page. */
export function inspect({ scheme, phone }) {
  const problems = [];
  /** The smallest letters that can be read, in CSS pixels. */
  const smallest = phone ? 9 : 10;
  /** WCAG 2.2, 1.4.3. */
  const leastContrast = 4.5;

  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = (colour) => {
    const linear = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    const [red, green, blue] = channels(colour).slice(0, 3).map(linear);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  };
  const background = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((channels(colour)[3] ?? 1) > 0) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const shown = (element) => element.getClientRects().length > 0 && getComputedStyle(element).visibility === 'visible';
  const short = (text) => text.trim().replace(/\s+/g, ' ').slice(0, 60);

  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth) problems.push(`scrolls sideways: ${page.scrollWidth} of ${page.clientWidth}`);
  const paper = background(document.body);
  if (scheme === 'dark' ? luminance(paper) > 0.03 : luminance(paper) < 0.9) problems.push(`the paper is ${paper}`);
  if (document.scripts.length) problems.push(`${document.scripts.length} scripts`);
  document.querySelectorAll('details').forEach((details) => (details.open = true));

  // ---- every text: its size and its contrast ----
  let texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !shown(element) || element.closest('title, desc')) continue;
    texts += 1;
    const style = getComputedStyle(element);
    const drawn = element instanceof SVGTextElement;
    const size = parseFloat(style.fontSize) * (drawn ? element.getScreenCTM().a : 1);
    if (size < smallest) problems.push(`"${short(node.data)}" is ${size.toFixed(1)} px`);
    const got = contrast(drawn ? style.fill : style.color, background(drawn ? element.ownerSVGElement.parentElement : element));
    // A number and its unit, held together by a no-break space, stay on one line.
    for (const word of node.data.matchAll(/[^ \n]*\u00a0[^ \n]*/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (range.getClientRects().length > 1) problems.push(`"${short(word[0])}" is broken`);
    }
    if (got < leastContrast) problems.push(`"${short(node.data)}" has a contrast of ${got.toFixed(2)}`);
  }

  // ---- every picture: nothing cut off, nothing over another, and something to read for those who don't see it ----
  const pictures = [...document.querySelectorAll('svg')].filter(shown);
  for (const picture of pictures) {
    const name = picture.querySelector('title')?.textContent ?? 'a picture';
    const whole = picture.getBoundingClientRect();
    const boxes = [...picture.querySelectorAll('text')].map((text) => [short(text.textContent), text.getBoundingClientRect()]);
    for (const [text, box] of boxes) {
      const inside = box.left >= whole.left - 0.5 && box.right <= whole.right + 0.5 && box.top >= whole.top - 0.5 && box.bottom <= whole.bottom + 0.5;
      if (!inside) problems.push(`${name}: "${text}" is cut off`);
    }
    boxes.forEach(([text, box], place) => {
      for (const [other, beside] of boxes.slice(place + 1)) {
        // Boxes have room above and below their letters.
        const across = Math.min(box.right, beside.right) - Math.max(box.left, beside.left);
        const down = Math.min(box.bottom, beside.bottom) - Math.max(box.top, beside.top);
        if (across > 0.5 && down > 0.35 * Math.min(box.height, beside.height)) {
          problems.push(`${name}: "${text}" and "${other}" lie over each other`);
        }
      }
    });
    // Axes are the tall thin lines; only the bold names of points belong to the right of one.
    const axes = [...picture.querySelectorAll('polyline, line')].map((line) => line.getBoundingClientRect());
    const tall = axes.filter((line) => line.width < 3 && line.height > 40);
    for (const text of picture.querySelectorAll('text')) {
      const box = text.getBoundingClientRect();
      const [across, down] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
      const over = tall.some((line) => across > line.right && down > line.top + 2 && down < line.bottom - 2);
      if (over && Number(getComputedStyle(text).fontWeight) < 600) problems.push(`${name}: "${short(text.textContent)}" lies in a plot`);
    }
    const described = (picture.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id));
    if (picture.getAttribute('role') !== 'img' || !described.length || !described.every((element) => element?.textContent)) {
      problems.push(`${name} has no words for those who don't see it`);
    }
  }

  // ---- the form of the page ----
  const levels = [...document.querySelectorAll('h1, h2, h3, h4')].filter(shown).map((heading) => Number(heading.tagName[1]));
  if (levels.filter((level) => level === 1).length !== 1) problems.push('not one first heading');
  if (levels.some((level, place) => level > (levels[place - 1] ?? 0) + 1)) problems.push(`headings jump: ${levels}`);
  const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
  if (new Set(ids).size !== ids.length) problems.push('an id is there twice');
  for (const table of document.querySelectorAll('table')) {
    if (!table.caption?.textContent) problems.push('a table without a caption');
  }
  return { problems, texts, pictures: pictures.length, words: document.body.innerText };
}
