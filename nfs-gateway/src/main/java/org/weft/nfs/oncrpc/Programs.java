package org.weft.nfs.oncrpc;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The programs that a listener serves. Immutable. */
final class Programs {
  private final Map<Integer, RpcProgram> byNumber = new TreeMap<>();

  Programs(List<RpcProgram> programs) {
    for (RpcProgram program : programs) {
      if (byNumber.put(program.number(), program) != null) {
        throw new IllegalArgumentException("program " + program.number() + " is given twice");
      }
    }
  }

  /** Why the call cannot be carried out, by RFC 5531 section 9. */
  Optional<RpcRefusal> refusal(RpcCall call) {
    RpcProgram program = byNumber.get(call.program());
    if (program == null) {
      return Optional.of(new RpcRefusal.ProgramUnavailable());
    }
    if (!program.has(call.version())) {
      return Optional.of(
          new RpcRefusal.ProgramMismatch(program.lowestVersion(), program.highestVersion()));
    }
    return program.procedure(call.version(), call.procedure()).isEmpty()
        ? Optional.of(new RpcRefusal.ProcedureUnavailable())
        : Optional.empty();
  }

  /** The procedure of a call that is not refused. */
  RpcProcedure procedure(RpcCall call) {
    return byNumber.get(call.program()).procedure(call.version(), call.procedure()).orElseThrow();
  }
}
