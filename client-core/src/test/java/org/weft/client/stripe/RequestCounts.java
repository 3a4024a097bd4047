package org.weft.client.stripe;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.Function;
import org.weft.protocol.rpc.Opcode;
import org.weft.testkit.osd.FakeOsd;
import org.weft.testkit.osd.Fault;

/** How many requests of each operation have reached the OSDs of a world. */
public final class RequestCounts {
  private final Map<Opcode, Integer> counts = new EnumMap<>(Opcode.class);

  /** From now on all OSDs count, and do this with what they have counted. */
  public void count(StripeWorld world, Function<Opcode, Fault> faults) {
    for (FakeOsd osd : world.osds) {
      osd.faults(
          opcode -> {
            counts.merge(opcode, 1, Integer::sum);
            return faults.apply(opcode);
          });
    }
  }

  /** The same without faults. */
  public void count(StripeWorld world) {
    count(world, opcode -> Fault.NONE);
  }

  public int of(Opcode opcode) {
    return counts.getOrDefault(opcode, 0);
  }

  /** Of those that have come. */
  public Map<Opcode, Integer> all() {
    return counts;
  }

  public void clear() {
    counts.clear();
  }
}
