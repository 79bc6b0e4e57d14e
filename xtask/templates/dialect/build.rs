//! Builds the dialect.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    sinter_tablegen::outside::build("@snake@", "dialect/@camel@Ops.td")
}
