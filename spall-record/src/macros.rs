//! The macros that record with a fixed name.

/// Records a slice of the calling thread, from here to the end of the scope of the variable that holds the result.
///
/// The name is a literal. Arguments are a format string and what it formats, or keys with values of any type that
/// [`spall_model::Value`](https://docs.rs/spall-model) can hold: numbers, texts, `bool`s. Arguments are only evaluated
/// while a recording is going on. A format string is formatted at once; values are recorded as they are, and formatted when
/// they are written. Keys and types stay what they are in Trace Event JSON; in a spall file, all arguments are one text of up
/// to 255 bytes.
///
/// ```
/// use spall_record::span;
///
/// fn load(path: &str, level: u32) {
///     let _span = span!("load");
///     {
///         let _span = span!("read", "{path}");
///     }
///     let _span = span!("decode", "{path} at level {}", level + 1);
///     let _span = span!("decode", path = path, level = level);
/// }
/// # load("a", 1);
/// ```
#[doc(alias("zone", "scope", "scoped timer", "profile_scope"))]
#[macro_export]
macro_rules! span {
    ($name:literal $(,)?) => {{
        $crate::__site!(SITE, $name);
        $crate::SpanGuard::begin(&SITE)
    }};
    ($name:literal, $format:literal $($args:tt)*) => {{
        $crate::__site!(SITE, $name);
        if $crate::is_enabled() {
            $crate::SpanGuard::begin_with_args(&SITE, ::core::format_args!($format $($args)*))
        } else {
            $crate::SpanGuard::none()
        }
    }};
    ($name:literal $(, $key:ident = $value:expr)+ $(,)?) => {{
        $crate::__site!(SITE, $name $(, $key)+);
        if $crate::is_enabled() {
            $crate::SpanGuard::begin_with_values(&SITE, &[$($crate::Value::from($value)),+])
        } else {
            $crate::SpanGuard::none()
        }
    }};
}

/// Records a slice of an async track, from here to where the result, an [`AsyncSpan`](crate::AsyncSpan), is dropped, on
/// whatever thread that is. The name is a literal; arguments are keys with values, as those of [`span!`](crate::span!).
///
/// Spall files cannot hold such slices: see [`Encoding`](crate::Encoding).
///
/// ```
/// use spall_record::async_span;
///
/// let request = async_span!("request", path = "/index");
/// let worker = std::thread::spawn(move || {
///     // …
///     drop(request);
/// });
/// # worker.join().unwrap();
/// ```
#[macro_export]
macro_rules! async_span {
    ($name:literal $(, $key:ident = $value:expr)* $(,)?) => {{
        $crate::__site!(SITE, $name $(, $key)*);
        if $crate::is_enabled() {
            $crate::AsyncSpan::begin(&SITE, &[$($crate::Value::from($value)),*])
        } else {
            $crate::AsyncSpan::none()
        }
    }};
}

/// Records an instant of the calling thread, with a literal name and, if wanted, a format string and what it formats.
///
/// Spall files cannot hold instants: see [`Encoding`](crate::Encoding).
///
/// ```
/// use spall_record::instant;
///
/// instant!("cache is full");
/// instant!("retry", "attempt {}", 3);
/// ```
#[doc(alias("marker", "message"))]
#[macro_export]
macro_rules! instant {
    ($name:literal $(,)?) => {{
        $crate::__site!(SITE, $name);
        $crate::instant_at(&SITE, ::core::option::Option::None, $crate::Scope::Thread)
    }};
    ($name:literal, $format:literal $($args:tt)*) => {{
        $crate::__site!(SITE, $name);
        if $crate::is_enabled() {
            let args = ::core::format_args!($format $($args)*);
            $crate::instant_at(&SITE, ::core::option::Option::Some(args), $crate::Scope::Thread)
        }
    }};
}

/// Records the value that a counter of the process has from now on, an `f64`. The name is a literal.
///
/// Spall files cannot hold counters: see [`Encoding`](crate::Encoding).
///
/// ```
/// spall_record::counter!("queue length", 17.0);
/// ```
#[doc(alias("plot", "gauge"))]
#[macro_export]
macro_rules! counter {
    ($name:literal, $value:expr $(,)?) => {{
        $crate::__site!(SITE, $name);
        if $crate::is_enabled() {
            $crate::counter_at(&SITE, $value)
        }
    }};
}

/// Makes a `static` of the place at which a macro records.
#[doc(hidden)]
#[macro_export]
macro_rules! __site {
    ($site:ident, $name:literal $(, $key:ident)*) => {
        static $site: $crate::Site = $crate::Site::at(
            $name,
            &[$(::core::stringify!($key)),*],
            || {
                // The path of an item has the function around it.
                fn here() {}
                ::core::any::type_name_of_val(&here)
            },
            ::core::file!(),
            ::core::line!(),
        );
    };
}
