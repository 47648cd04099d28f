//! What a chip has, whatever its kernel finds of it.

/// Chips by a part of their names in `compatible`, with their cores. Sources: the makers' data sheets.
const CHIPS: [(&str, u32); 28] = [
    ("allwinner,sun8i-h3", 4),
    ("allwinner,sun8i-h2-plus", 4),
    ("allwinner,sun50i-h5", 4),
    ("allwinner,sun50i-h6", 4),
    ("allwinner,sun50i-h616", 4),
    ("allwinner,sun50i-h618", 4),
    ("allwinner,sun50i-a64", 4),
    ("allwinner,sun7i-a20", 2),
    ("allwinner,sun4i-a10", 1),
    ("brcm,bcm2835", 1),
    ("brcm,bcm2836", 4),
    ("brcm,bcm2837", 4),
    ("brcm,bcm2711", 4),
    ("brcm,bcm2712", 4),
    ("rockchip,rk3288", 4),
    ("rockchip,rk3328", 4),
    ("rockchip,rk3399", 6),
    ("rockchip,rk3566", 4),
    ("rockchip,rk3568", 4),
    ("rockchip,rk3588s", 8),
    ("rockchip,rk3588", 8),
    ("amlogic,s905", 4),
    ("amlogic,s922x", 6),
    ("amlogic,g12b", 6),
    ("amlogic,sm1", 4),
    ("samsung,exynos5422", 8),
    ("samsung,exynos5800", 8),
    ("ti,am33xx", 1),
];

/// Cores of the chip whose `compatible` list this is; `None` for one that is not in the table.
#[must_use]
pub fn chip_cores(compatible: &[String]) -> Option<u32> {
    compatible.iter().rev().find_map(|name| Some(CHIPS.iter().find(|(chip, _)| chip == name)?.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chip_is_the_last_that_is_known() {
        let cores =
            |names: &[&str]| chip_cores(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(cores(&["xunlong,orangepi-pc", "allwinner,sun8i-h3"]), Some(4));
        assert_eq!(cores(&["raspberrypi,4-model-b", "brcm,bcm2711"]), Some(4));
        assert_eq!(cores(&["xunlong,orangepi-5", "rockchip,rk3588s"]), Some(8));
        assert_eq!((cores(&["maker,new"]), cores(&[])), (None, None));
    }
}
