package org.weft.osd.harness;

import org.weft.protocol.capability.Capability;
import org.weft.protocol.capability.Right;
import org.weft.protocol.capability.SignedCapability;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.testkit.sysmgr.FakeCluster;

/** Capabilities as the manager of one volume makes them. */
public record Caps(FakeCluster cluster, long partition) {
  public static final long PARTITION = FakeCluster.ROOT_VOLUME;

  /** Far enough for any test, on the wall clock. */
  private static final long NEVER_MILLIS = Long.MAX_VALUE;

  private static final int ALL_RIGHTS =
      Right.bits(Right.READ, Right.WRITE, Right.CREATE, Right.READ_ATTRIBUTES);

  /** Of the root volume. */
  public Caps(FakeCluster cluster) {
    this(cluster, PARTITION);
  }

  /** A client's: everything on one object under a grant. */
  public SignedCapability client(long object, long grant) {
    return cluster.sign(clientCapability(object, grant));
  }

  public SignedCapability client(long object, long grant, Right... rights) {
    return cluster.sign(with(clientCapability(object, grant), Right.bits(rights)));
  }

  /** To copy a component of one object to an OSD, until then. */
  public SignedCapability copier(long object, long number, int osd, long start, long expiryMillis) {
    int rights = Right.bits(Right.READ, Right.COPY);
    return cluster.sign(
        with(with(clientCapability(object, number), rights), 0, Long.MAX_VALUE, expiryMillis)
            .withTarget(osd, start));
  }

  public Capability clientCapability(long object, long grant) {
    return new Capability(
        ObjectName.of(partition, object),
        ALL_RIGHTS,
        1,
        grant,
        0,
        Long.MAX_VALUE,
        NEVER_MILLIS,
        77,
        1,
        0);
  }

  /** A manager's: everything on the whole partition. */
  public SignedCapability manager(long epoch) {
    return cluster.sign(managerCapability(epoch));
  }

  public Capability managerCapability(long epoch) {
    return new Capability(
        ObjectName.of(partition, Capability.WHOLE_PARTITION),
        ALL_RIGHTS | Right.MANAGE.bit(),
        1,
        Lsn.of(epoch, 0).value(),
        0,
        Long.MAX_VALUE,
        NEVER_MILLIS,
        0,
        0,
        0);
  }

  public static Capability with(Capability c, int rights) {
    return new Capability(
        c.object(),
        rights,
        c.keyVersion(),
        c.grant(),
        c.floor(),
        c.byteLimit(),
        c.expiryMillis(),
        c.clientId(),
        c.mapGeneration(),
        c.snapshotNumber());
  }

  /** One with other limits. */
  public static Capability with(Capability c, long floor, long byteLimit, long expiryMillis) {
    return new Capability(
        c.object(),
        c.rights(),
        c.keyVersion(),
        c.grant(),
        floor,
        byteLimit,
        expiryMillis,
        c.clientId(),
        c.mapGeneration(),
        c.snapshotNumber());
  }

  public static Capability withKeyVersion(Capability c, int keyVersion) {
    return new Capability(
        c.object(),
        c.rights(),
        keyVersion,
        c.grant(),
        c.floor(),
        c.byteLimit(),
        c.expiryMillis(),
        c.clientId(),
        c.mapGeneration(),
        c.snapshotNumber());
  }
}
