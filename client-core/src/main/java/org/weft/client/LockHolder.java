package org.weft.client;

import com.google.protobuf.ByteString;
import java.util.Arrays;
import java.util.Objects;
import org.weft.client.lock.RangeHolder;
import org.weft.protocol.layout.ByteRange;

/**
 * The owner of a lock on a range of a file, and the range.
 *
 * @param clientName "host/pid/program" of the client
 * @param sessionId of the client's session with the volume's manager
 * @param owner key of the owner in that client, as {@link LockOwner#key}; a copy
 * @param kept the client's session has ended; a successor may reclaim the lock for a while
 */
public record LockHolder(
    String clientName, long sessionId, byte[] owner, ByteRange range, LockMode mode, boolean kept) {
  /** Copies the key. */
  public LockHolder {
    Objects.requireNonNull(clientName, "clientName");
    Objects.requireNonNull(range, "range");
    Objects.requireNonNull(mode, "mode");
    owner = owner.clone();
  }

  static LockHolder of(RangeHolder holder) {
    return new LockHolder(
        holder.clientName(),
        holder.sessionId(),
        holder.owner().toByteArray(),
        holder.range(),
        LockMode.of(holder.exclusive()),
        holder.kept());
  }

  @Override
  public byte[] owner() {
    return owner.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LockHolder holder
        && clientName.equals(holder.clientName)
        && sessionId == holder.sessionId
        && Arrays.equals(owner, holder.owner)
        && range.equals(holder.range)
        && mode == holder.mode
        && kept == holder.kept;
  }

  @Override
  public int hashCode() {
    return Objects.hash(clientName, sessionId, Arrays.hashCode(owner), range, mode, kept);
  }

  /** As in messages: "bytes 0 to 9 exclusively by host/1/app". */
  @Override
  public String toString() {
    return new RangeHolder(clientName, sessionId, ByteString.EMPTY, range, mode.isExclusive(), kept)
        .toString();
  }
}
