package org.weft.nfs.daemon;

import java.util.Optional;
import org.weft.nfs.locks.ClientLocks;
import org.weft.nfs.locks.LockRows;
import org.weft.protocol.wire.NfsGatewayReply;
import org.weft.protocol.wire.NfsGatewayRequest;
import org.weft.protocol.wire.NfsLockRow;

/** Sends the gateway's locks to SysMgr while SysMgr asks for them. Thread-safe. */
final class ToldLocks {
  private volatile Optional<LockRows.Some> known = Optional.empty();

  /** What SysMgr answered. */
  void heard(NfsGatewayReply reply, ClientLocks locks) {
    if (!reply.getLocksWanted()) {
      known = Optional.empty();
      return;
    }
    var unused = locks.rows().thenAccept(rows -> known = Optional.of(rows));
  }

  void addTo(NfsGatewayRequest.Builder says) {
    known.ifPresent(
        some -> {
          says.setLocksTold(true).setLocksTotal(some.total());
          some.rows().forEach(row -> says.addLocks(row(row)));
        });
  }

  private static NfsLockRow row(LockRows.Row row) {
    return NfsLockRow.newBuilder()
        .setClient(row.client())
        .setServer(row.server())
        .setName(row.name())
        .setProcess(row.process())
        .setVolumeId(row.file().volume().value())
        .setObjectId(row.file().object().value())
        .setFrom(row.range().from())
        .setTo(row.range().toInMessage())
        .setExclusive(row.exclusive())
        .setWaiting(row.waiting())
        .setOpened(row.opened())
        .setDenied(row.denied())
        .setSinceMillis(row.sinceMillis())
        .build();
  }
}
