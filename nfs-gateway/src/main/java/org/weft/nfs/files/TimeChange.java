package org.weft.nfs.files;

/** What becomes of a time. */
public sealed interface TimeChange permits TimeChange.Keep, TimeChange.Now, TimeChange.At {
  TimeChange KEEP = new Keep();
  TimeChange NOW = new Now();

  /** It stays. */
  record Keep() implements TimeChange {}

  /** It becomes the time of the server. */
  record Now() implements TimeChange {}

  /** It becomes this time; only the owner may ask for it. */
  record At(long nanos) implements TimeChange {}
}
