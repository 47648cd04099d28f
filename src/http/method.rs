//! Request methods (RFC 9110 §9).

/// A request method. Names are case-sensitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Method {
    /// GET
    Get = 0,
    /// HEAD
    Head,
    /// POST
    Post,
    /// PUT
    Put,
    /// DELETE
    Delete,
    /// PATCH
    Patch,
    /// OPTIONS
    Options,
    /// CONNECT
    Connect,
    /// TRACE
    Trace,
    /// Any other token: answered with 501.
    Other,
}

impl Method {
    /// The methods that a route can be given, in the order in which Allow lists them.
    pub const ROUTABLE: [Method; 7] =
        [Self::Get, Self::Head, Self::Post, Self::Put, Self::Delete, Self::Patch, Self::Options];

    /// Recognises a method by its exact bytes.
    #[must_use]
    #[inline]
    pub fn from_token(token: &str) -> Self {
        match token {
            "GET" => Self::Get,
            "HEAD" => Self::Head,
            "POST" => Self::Post,
            "PUT" => Self::Put,
            "DELETE" => Self::Delete,
            "PATCH" => Self::Patch,
            "OPTIONS" => Self::Options,
            "CONNECT" => Self::Connect,
            "TRACE" => Self::Trace,
            _ => Self::Other,
        }
    }

    /// The method's name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
            Self::Patch => "PATCH",
            Self::Options => "OPTIONS",
            Self::Connect => "CONNECT",
            Self::Trace => "TRACE",
            Self::Other => "?",
        }
    }
}

/// A set of methods, for Allow (RFC 9110 §10.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MethodSet(u16);

impl MethodSet {
    /// What a path is asked with that can only be read.
    pub const GET_HEAD_OPTIONS: Self =
        Self(1 << Method::Get as u16 | 1 << Method::Head as u16 | 1 << Method::Options as u16);

    /// The set with `method` added.
    #[must_use]
    pub const fn with(self, method: Method) -> Self {
        Self(self.0 | 1 << method as u16)
    }

    /// Every method of both sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether `method` is in the set.
    #[must_use]
    pub const fn contains(self, method: Method) -> bool {
        self.0 & (1 << method as u16) != 0
    }

    /// The value of an Allow header, e.g. `GET, HEAD, OPTIONS`.
    #[must_use]
    pub fn allow(self) -> String {
        let names: Vec<_> =
            Method::ROUTABLE.into_iter().filter(|m| self.contains(*m)).map(Method::name).collect();
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_case_sensitive_and_round_trip() {
        for method in Method::ROUTABLE {
            assert_eq!(Method::from_token(method.name()), method);
        }
        assert_eq!(Method::from_token("get"), Method::Other);
    }

    #[test]
    fn allow_lists_in_a_fixed_order() {
        let set = MethodSet::default().with(Method::Options).with(Method::Get).with(Method::Head);
        assert_eq!(set.allow(), "GET, HEAD, OPTIONS");
        assert!(!set.contains(Method::Post));
    }
}
