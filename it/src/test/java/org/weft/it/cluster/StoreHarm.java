package org.weft.it.cluster;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.weft.client.FileStatus;
import org.weft.osd.store.ObjectStore;
import org.weft.osd.store.StoreOptions;
import org.weft.osd.store.mutation.Mutation;
import org.weft.osd.store.mutation.ObjectRemoval;
import org.weft.osd.store.mutation.ObjectWrite;
import org.weft.osd.store.rocksdb.StoreFolder;
import org.weft.osd.store.value.Authority;
import org.weft.osd.store.value.ByteSpan;
import org.weft.osd.store.value.FileLength;
import org.weft.osd.store.value.ObjectCreation;
import org.weft.osd.store.value.WriteNumbers;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.system.SystemEnvironment;
import org.weft.soak.process.DaemonCluster;

/** What is to be done to the store of an OSD that is stopped. */
record StoreHarm(FileStatus file, OsdId osd, boolean remove) {
  private static final long CAPACITY_BYTES = 2L << 30;
  private static final int BLOCK = 4096;

  /** Stops the OSDs concerned, all at once, harms their stores, and starts them. */
  static void toAll(DaemonCluster cluster, List<StoreHarm> harms, SystemEnvironment system)
      throws Exception {
    SortedSet<OsdId> osds = new TreeSet<>(harms.stream().map(StoreHarm::osd).toList());
    for (OsdId osd : osds) {
      cluster.osd(osd.value()).process().ifPresent(ProcessHandle::destroy);
    }
    for (OsdId osd : osds) {
      cluster.osd(osd.value()).stop();
    }
    for (OsdId osd : osds) {
      Path folder = cluster.dataOf(cluster.osd(osd.value()));
      try (ObjectStore store =
          new StoreFolder(folder)
              .open(StoreOptions.ofCapacity(CAPACITY_BYTES), system.environment())) {
        harms.stream().filter(each -> each.osd().equals(osd)).forEach(each -> each.done(store));
      }
    }
    for (OsdId osd : osds) {
      cluster.osd(osd.value()).start();
    }
  }

  private void done(ObjectStore store) {
    ObjectName name = ObjectName.of(1, file.objectId());
    long epoch = store.partition(name.partition()).orElseThrow().fenceEpoch();
    long late = Lsn.of(epoch, 1L << 30).value();
    Mutation mutation =
        remove
            ? new ObjectRemoval(name, Authority.ofManager(epoch), late, 0, false, true)
            : wrongBlock(name, Authority.ofManager(epoch, late));
    var unused = store.apply(mutation).toCompletableFuture().join();
  }

  /** Other bytes, with a checksum that is right. */
  private static ObjectWrite wrongBlock(ObjectName name, Authority authority) {
    byte[] bytes = new byte[BLOCK];
    new Random(1).nextBytes(bytes);
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return new ObjectWrite(
        name,
        authority,
        new ByteSpan(0, List.of(ByteBuffer.wrap(bytes)), new int[] {(int) crc.getValue()}),
        new WriteNumbers(1, 1, List.of(), 0),
        new FileLength(0, 0),
        ObjectCreation.NONE,
        true);
  }
}
