//! The device file of @kebab@ says what the hardware's documents say.

use sinter_device::Device;

#[test]
fn figures_are_those_of_the_documents() {
    let device = Device::named("@kebab@").expect("is built in");
    assert_ne!(device.description, "Write what it is");
    let cores = 0;
    assert_eq!(
        device.cores, cores,
        "write the number of cores that the documents state"
    );
}
