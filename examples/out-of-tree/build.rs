//! Builds the dialect.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    sinter_tablegen::outside::build("dsp", "dialect/DspOps.td")
}
