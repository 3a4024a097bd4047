package org.weft.client.volume;

/** A session that the manager opened, with its slots. Confined to the home executor. */
final class LiveSession {
  private final long id;
  private final long leaseNanos;
  private final SlotTable slots;
  private final OpenedFiles files;
  private boolean ended;

  LiveSession(long id, long leaseNanos, SlotTable slots, OpenedFiles files) {
    this.id = id;
    this.files = files;
    this.leaseNanos = leaseNanos;
    this.slots = slots;
  }

  long id() {
    return id;
  }

  long leaseNanos() {
    return leaseNanos;
  }

  SlotTable slots() {
    return slots;
  }

  OpenedFiles files() {
    return files;
  }

  /** True once the manager has said that it does not know the session, or the client closed it. */
  boolean ended() {
    return ended;
  }

  void end() {
    ended = true;
  }
}
