package org.weft.metadata.access;

/** What of a volume waits for a single OSD. */
public enum OsdWait {
  FENCE("its start waits until the OSD refuses the manager before"),
  METADATA("changes wait to be written to it"),
  CHECKPOINT("its journal waits for a checkpoint of the OSD"),
  RESOLVE("files of writers that went away wait to be put in order"),
  LOSSES("OSDs that lost power wait until it is known whether this one lost it with them"),
  COMPARE("the OSD waits in quarantine until it is brought up to date");

  private final String words;

  OsdWait(String words) {
    this.words = words;
  }

  /** A part of a sentence about a volume. */
  public String words() {
    return words;
  }
}
