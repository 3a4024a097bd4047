package org.weft.client.volume;

import com.google.protobuf.ByteString;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.client.cache.ReadCache;
import org.weft.protocol.wire.ClosedFile;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.ReclaimedFile;
import org.weft.protocol.wire.RenewSessionRequest;

/**
 * Tracks what one session has open for reading, counted, and what of that its manager has yet to
 * hear (P 6.5). The renewals of the session say which files it has closed. To a manager that has
 * started anew they say which ones it has open, and what it has published of those that it writes.
 * A file that is never closed is open until its session ends.
 *
 * <p>Thread-safe; never blocks.
 */
final class OpenedFiles implements ReadCache.Openings {
  /** Files of which one renewal speaks, of closed and of open ones each. */
  static final int MAX_AT_ONCE = 10_000;

  private static final long NONE = 0;

  /** A file that is open. */
  private static final class Reading {
    private int count;

    /** Largest number of an opening of it that the manager has given. */
    private long number;

    /** What the manager named it by. */
    private ByteString handle = ByteString.EMPTY;
  }

  private final long sessionId;
  private final TreeMap<Long, Reading> open = new TreeMap<>();

  /** Files that were closed, and the largest number of an opening of each. */
  private final TreeMap<Long, Long> closed = new TreeMap<>();

  private final PublishedLengths lengths;

  private long epoch;

  /** Of the manager that is being told what is open. */
  private long reclaimEpoch = NONE;

  /** Up to this object it has been told. */
  private long reclaimedUpTo;

  /**
   * @param epoch of the manager that opened the session; 0 if it does not say
   */
  OpenedFiles(long sessionId, long epoch) {
    this.sessionId = sessionId;
    this.epoch = epoch;
    this.lengths = new PublishedLengths(epoch);
  }

  long sessionId() {
    return sessionId;
  }

  /** What the session has published of the files that it writes. */
  PublishedLengths lengths() {
    return lengths;
  }

  /** The manager has opened a file, under a number that grows. */
  synchronized void opened(long objectId, ByteString handle, long number) {
    Reading reading = open.computeIfAbsent(objectId, id -> new Reading());
    Long before = closed.remove(objectId);
    reading.count++;
    reading.handle = handle;
    reading.number = Math.max(reading.number, Math.max(number, before == null ? 0 : before));
  }

  @Override
  public void opened(OpenReply reply) {
    opened(reply.getAttributes().getObjectId(), reply.getHandle(), reply.getOpenNumber());
  }

  /** One of the openings is over. */
  @Override
  public synchronized void closed(long objectId) {
    Reading reading = open.get(objectId);
    if (reading != null && --reading.count == 0) {
      open.remove(objectId);
      closed.put(objectId, reading.number);
    }
  }

  /**
   * What a renewal says that goes by another connection: which files were closed. Nothing while a
   * manager is being told what is open, for it might hear that later.
   */
  synchronized void addClosingsTo(RenewSessionRequest.Builder renewal) {
    if (reclaimEpoch == NONE) {
      addClosings(renewal);
    }
  }

  private void addClosings(RenewSessionRequest.Builder renewal) {
    for (Map.Entry<Long, Long> closing : closed.entrySet()) {
      if (renewal.getClosedCount() == MAX_AT_ONCE) {
        break;
      }
      renewal.addClosed(
          ClosedFile.newBuilder().setObjectId(closing.getKey()).setOpenNumber(closing.getValue()));
    }
  }

  /** What the next renewal has to say. */
  synchronized void addTo(RenewSessionRequest.Builder renewal) {
    addClosings(renewal);
    if (reclaimEpoch == NONE) {
      return;
    }
    lengths.addTo(renewal);
    SortedMap<Long, Reading> left = open.tailMap(reclaimedUpTo, false);
    renewal.setReclaimEpoch(reclaimEpoch).setReclaim(left.size() <= MAX_AT_ONCE);
    for (Map.Entry<Long, Reading> file : left.entrySet()) {
      if (renewal.getOpenCount() == MAX_AT_ONCE) {
        break;
      }
      renewal.addOpen(
          ReclaimedFile.newBuilder().setObjectId(file.getKey()).setHandle(file.getValue().handle));
    }
  }

  /**
   * A renewal was answered.
   *
   * @param by epoch of the manager that answered it; 0 if it does not say
   * @return true if more is to be said at once
   */
  synchronized boolean answered(RenewSessionRequest sent, long by) {
    closingsAnswered(sent);
    if (reclaimEpoch != NONE && by == reclaimEpoch) {
      reclaimAnswered(sent);
    } else if (by != epoch && by != NONE) {
      reclaimEpoch = by;
      reclaimedUpTo = 0;
      lengths.managerChanged(by);
    }
    boolean toReclaim = reclaimEpoch != NONE && by == reclaimEpoch;
    return toReclaim || closed.size() >= MAX_AT_ONCE;
  }

  /** The session has yet to say to a manager of this epoch what it has open. */
  synchronized boolean isNews(long by) {
    return by > epoch && by != reclaimEpoch;
  }

  /** A renewal was answered that said which files were closed. */
  synchronized void closingsAnswered(RenewSessionRequest sent) {
    for (ClosedFile file : sent.getClosedList()) {
      // Opened and closed again meanwhile: that is yet to be told.
      closed.remove(file.getObjectId(), file.getOpenNumber());
    }
  }

  private void reclaimAnswered(RenewSessionRequest sent) {
    if (sent.getReclaimEpoch() != reclaimEpoch) {
      return;
    }
    if (sent.getReclaim()) {
      epoch = reclaimEpoch;
      reclaimEpoch = NONE;
    } else if (sent.getOpenCount() > 0) {
      reclaimedUpTo = sent.getOpen(sent.getOpenCount() - 1).getObjectId();
    }
  }
}
