package org.weft.simulator.base;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.sim.WireObserver;

/**
 * Checks replies of managers that were replaced while they hung. None may leave once another
 * process serves in their place (P 6.2). Clients may never notice, since they have asked the other
 * manager again.
 */
public final class AnswerCheck implements WireObserver {
  private final WireObserver others;
  private final SortedMap<String, BooleanSupplier> successors = new TreeMap<>();
  private final List<String> found = new ArrayList<>();

  AnswerCheck(WireObserver others) {
    this.others = others;
  }

  /** The machine was given up. */
  public void replaced(String machine, BooleanSupplier isSucceeded) {
    successors.put(machine, isSucceeded);
  }

  @Override
  public void happened(
      Event event,
      String from,
      String to,
      int opcode,
      long requestId,
      ByteString body,
      int payloadBytes) {
    others.happened(event, from, to, opcode, requestId, body, payloadBytes);
    BooleanSupplier successor = event == Event.ANSWERED ? successors.get(from) : null;
    if (successor != null && successor.getAsBoolean()) {
      String what = Opcode.of(opcode).map(Opcode::name).orElse(Integer.toHexString(opcode));
      found.add(from + " answered " + what + " of " + to + " although another one serves");
    }
  }

  /** Sentences; none if all was well. */
  public List<String> found() {
    return found;
  }
}
