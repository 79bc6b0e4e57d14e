//! Functions that LLVM's code generation may call of its own accord: conversions that a CPU lacks and
//! copies of memory. They are hidden, and dropped by the linker where nothing calls them.

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::targets::FileType;

use crate::translate::{llvm, set_function_attributes};
use crate::{CodegenError, Target};

const IR: &str = r"
define hidden bfloat @__truncsfbf2(float %x) {
  %bits = bitcast float %x to i32
  %high = lshr i32 %bits, 16
  %odd = and i32 %high, 1
  %bias = add i32 %odd, 32767
  %sum = add i32 %bits, %bias
  %rounded = lshr i32 %sum, 16
  %quiet = or i32 %high, 64
  %nan = fcmp uno float %x, 0.0
  %chosen = select i1 %nan, i32 %quiet, i32 %rounded
  %half = trunc i32 %chosen to i16
  %result = bitcast i16 %half to bfloat
  ret bfloat %result
}

define hidden ptr @memset(ptr %to, i32 %value, i64 %count) {
entry:
  %byte = trunc i32 %value to i8
  br label %header
header:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %body, label %exit
body:
  %place = getelementptr i8, ptr %to, i64 %i
  store i8 %byte, ptr %place
  %next = add i64 %i, 1
  br label %header
exit:
  ret ptr %to
}

define hidden ptr @memcpy(ptr %to, ptr %from, i64 %count) {
entry:
  br label %header
header:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %body, label %exit
body:
  %source = getelementptr i8, ptr %from, i64 %i
  %place = getelementptr i8, ptr %to, i64 %i
  %byte = load i8, ptr %source
  store i8 %byte, ptr %place
  %next = add i64 %i, 1
  br label %header
exit:
  ret ptr %to
}
";

/// The object file of the functions.
///
/// # Errors
/// When LLVM refuses the target.
pub(crate) fn object(target: &Target) -> Result<Vec<u8>, CodegenError> {
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(IR.as_bytes(), "support");
    let module = context.create_module_from_ir(buffer).map_err(llvm)?;
    let machine = target.machine()?;
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    for function in module.get_functions() {
        set_function_attributes(&context, function, target, false);
    }
    let buffer = machine
        .write_to_memory_buffer(&module, FileType::Object)
        .map_err(llvm)?;
    Ok(buffer.as_slice().to_vec())
}
