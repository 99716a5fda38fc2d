"""How numba is kept from compiling what a pass calls as if it were to run by itself.

For each function that a pass calls numba makes wrappers for Python and C, optimizes twice and makes machine code, which
nobody ever runs: the pass takes a copy, and is optimized as a whole. Here a called function is translated to LLVM's
language, and no further.

Tests: ``tests/_engine/test_compiling.py``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from numba.core import codegen, compiler, compiler_machinery, typed_passes

# without types, as numba has none for these
JITCodeLibrary: Any = codegen.JITCodeLibrary
NativeLowering: Any = typed_passes.NativeLowering
PassManager: Any = compiler_machinery.PassManager
Passes: Any = compiler.DefaultPassBuilder
register: Any = compiler_machinery.register_pass
make_function: Any = import_module("numba._dynfunc").make_function


class _Part(JITCodeLibrary):
    """Code for others to link in, which optimize it together with their own."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


@register(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    """Translates a function for compiled code to call."""

    _name = "discriminant_part_lowering"

    def run_pass(self, state: Any) -> bool:
        state.flags.no_compile = state.flags.no_cpython_wrapper = state.flags.forceinline = True
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        super().run_pass(state)
        made = state["cr"]
        # numba finds the code of a function by the object that Python would call: one of its own for each, without code
        name = made.fndesc.qualname
        stand_in = make_function(made.fndesc.lookup_module(), name, name, 0, made.env, (state.library,))
        state["cr"] = made._replace(cfunc=stand_in)
        state.targetctx.insert_user_function(stand_in, made.fndesc, [state.library])
        return True


class PartCompiler(compiler.CompilerBase):
    """numba's compiler of functions without Python objects, but for its last steps."""

    def define_pipelines(self) -> list[Any]:
        steps = PassManager("part")
        for stage in (Passes.define_untyped_pipeline, Passes.define_typed_pipeline):
            steps.passes.extend(stage(self.state).passes)
        steps.add_pass(typed_passes.IRLegalization, "ensure IR is legal prior to lowering")
        steps.add_pass(_PartLowering, "lowering of a part")
        steps.add_pass(typed_passes.NoPythonBackend, "nopython mode backend")
        steps.finalize()
        return [steps]
