package org.weft.client.ids;

/**
 * Says what becomes of a time: it stays, it is set by the server's clock, or it is set to a value.
 */
public sealed interface TimeWish permits TimeWish.Keep, TimeWish.Now, TimeWish.At {
  TimeWish KEEP = new Keep();
  TimeWish NOW = new Now();

  /** It stays; of a new node it is the time of its making. */
  record Keep() implements TimeWish {}

  /** It becomes the manager's time of day. */
  record Now() implements TimeWish {}

  /** It becomes this time, in nanoseconds since 1970; for the owner alone. */
  record At(long nanos) implements TimeWish {}
}
