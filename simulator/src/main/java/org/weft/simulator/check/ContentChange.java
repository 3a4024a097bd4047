package org.weft.simulator.check;

/**
 * Something that gave a range of a file other bytes, or the file another length: between two
 * moments, and then for sure or perhaps.
 */
final class ContentChange {
  static final long NEVER = Long.MAX_VALUE;

  /** What it is, for people. */
  final String what;

  final long start;

  /** Range of bytes, or of lengths that the file may have. */
  final long from;

  final long to;
  final Content content;

  /** When it was answered, or became settled. */
  long end = NEVER;

  boolean acknowledged;
  boolean failed;

  /** A read after this moment does not find it. */
  long goneFrom = NEVER;

  /** From this moment on power loss may have undone it. */
  long doubtfulFrom = NEVER;

  /** It is on disks: power loss does nothing to it. */
  boolean durable;

  /** Virtual time of its acknowledgement. */
  long acknowledgedNanos;

  ContentChange(String what, long start, long from, long to, Content content) {
    this.what = what;
    this.start = start;
    this.from = from;
    this.to = to;
    this.content = content;
  }

  /** The client got an answer that it is done. */
  void acknowledged(long moment, long nanos) {
    end = Math.min(end, moment);
    acknowledged = true;
    acknowledgedNanos = nanos;
  }

  /** The client got a failure, or is dead: it is unknown whether it is done, or will be. */
  void failed() {
    if (!acknowledged) {
      failed = true;
    }
  }

  /** From now on it is done or not, for good. */
  void settled(long moment) {
    end = Math.min(end, moment);
  }

  /** What follows it under the same call has followed it by now. */
  void replaced(long moment) {
    goneFrom = moment;
  }

  /** It must not happen at all. */
  void never() {
    goneFrom = 0;
  }

  /** The client got an answer, after the acknowledgement, that it is on disks. */
  void durable() {
    durable = acknowledged;
  }

  /** It was acknowledged since then, or was not yet. */
  boolean isRecent(long sinceNanos) {
    return !acknowledged || acknowledgedNanos >= sinceNanos;
  }

  /** The moment from which no part of it is under way. */
  boolean overBefore(long moment) {
    return end < moment;
  }

  /** True if a read from one moment to another must find it, or what came after it. */
  boolean holds(long from, long until) {
    return acknowledged && end < from && until < doubtfulFrom;
  }

  @Override
  public String toString() {
    String state = "under way";
    if (acknowledged) {
      state =
          doubtfulFrom == NEVER ? "acknowledged" : "acknowledged, doubtful from " + doubtfulFrom;
    } else if (failed) {
      state = "of unknown outcome";
    }
    return what + " [" + start + ", " + (end == NEVER ? "?" : String.valueOf(end)) + "] " + state;
  }
}
