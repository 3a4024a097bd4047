package org.weft.nfs.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.weft.nfs.oncrpc.CallMark;
import org.weft.nfs.oncrpc.RpcCall;
import org.weft.nfs.oncrpc.RpcCredential;
import org.weft.nfs.oncrpc.RpcProgram;
import org.weft.nfs.portmap.Portmapper;

/** Which figures a call counts in; ProcedureMetricsTest makes the calls of a whole gateway. */
class ProcedureFiguresTest {
  private static final int MANY_PROCEDURES = 30;

  private final ProcedureFigures figures = new ProcedureFigures();

  private static RpcCall call(int program, int version, int procedure) {
    InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    return new RpcCall(
        1, program, version, procedure, new RpcCredential.None(), here, here, CallMark.NONE);
  }

  private List<String> counted() {
    return figures.all().stream()
        .filter(each -> each.calls() > 0)
        .map(each -> each.program() + " " + each.procedure())
        .toList();
  }

  @Test
  void eachProcedureOfThePortmapperHasAName() {
    RpcProgram portmap = new Portmapper(List.of(), () -> 0).program();
    for (int version : portmap.versions()) {
      for (int number = 0; number < MANY_PROCEDURES; number++) {
        if (portmap.procedure(version, number).isPresent()) {
          figures.answered(call(Portmapper.PROGRAM, version, number), 1, false);
        }
      }
    }
    assertEquals(
        Set.of(
            "portmap null",
            "portmap set",
            "portmap unset",
            "portmap getport",
            "portmap getaddr",
            "portmap dump",
            "portmap gettime",
            "portmap getversaddr"),
        new TreeSet<>(counted()));
  }

  @Test
  void versionsAndProgramsThatAreNotServedCountAsOthers() {
    figures.answered(call(100_003, 4, 1), 0, true);
    figures.answered(call(100_003, 3, -1), 0, true);
    figures.answered(call(Integer.MIN_VALUE, 3, 1), 0, true);
    assertEquals(List.of("nfs other", "other other"), counted());
    assertTrue(figures.all().stream().allMatch(each -> each.calls() == each.refused()));
  }

  /** The figures of several gateways of a process are summed up by their places. */
  @Test
  void theOrderIsTheSameEachTimeAndNamesAreThereOnce() {
    List<String> names =
        figures.all().stream().map(each -> each.program() + " " + each.procedure()).toList();
    assertEquals(
        names,
        new ProcedureFigures()
            .all().stream().map(each -> each.program() + " " + each.procedure()).toList());
    assertEquals(names.size(), new TreeSet<>(names).size());
    assertNotEquals(0, names.size());
  }
}
