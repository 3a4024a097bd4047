package org.weft.client.stripe;

import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.weft.client.osd.OsdConnections;
import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Right;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.testkit.osd.FakeOsd;

/** OSDs in memory with real threads and sockets, and a client's connections to them. */
public final class TcpOsds implements AutoCloseable {
  private final SystemEnvironment system = SystemEnvironment.create();
  private final byte[] key = new byte[32];
  public final Environment environment = system.environment();
  public final OwnedExecutor cpu = environment.scheduler().newPool("test-cpu", 3, 4_000);
  public final OwnedExecutor commands = environment.scheduler().newPool("test-osd", 3, 4_000);
  public final TreeMap<OsdId, FakeOsd> osds = new TreeMap<>();
  public final OsdConnections connections =
      new OsdConnections(
          environment,
          osd -> List.of(osds.get(osd).address()),
          () -> Optional.of(StripeWorld.CLUSTER),
          "client");

  public TcpOsds(int count) {
    for (int i = 1; i <= count; i++) {
      OsdId id = new OsdId(i);
      osds.put(id, FakeOsd.start(id, StripeWorld.CLUSTER, environment.transport(), commands, key));
    }
  }

  public FakeOsd osd(int id) {
    return osds.get(new OsdId(id));
  }

  /** OSDs for the components of a file. */
  public List<OsdId> first(int count) {
    return List.copyOf(osds.keySet()).subList(0, count);
  }

  /** The right to write, create and read a file, for ever. */
  public SignedCapability capability(ObjectName name, long grant, long floor) {
    int rights = Right.bits(Right.READ, Right.WRITE, Right.CREATE, Right.READ_ATTRIBUTES);
    return SignedCapability.sign(
        new Capability(name, rights, 1, grant, floor, Long.MAX_VALUE, Long.MAX_VALUE, 1, 1, 0),
        key);
  }

  @Override
  public void close() {
    connections.close();
    osds.values().forEach(FakeOsd::close);
    cpu.close();
    commands.close();
    system.close();
  }
}
