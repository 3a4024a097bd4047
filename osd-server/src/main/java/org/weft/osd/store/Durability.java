package org.weft.osd.store;

/** When a mutation is acknowledged (P 5.9). */
public enum Durability {
  /** When the machine's kernel has it: survives a crash of the process, not of the machine. */
  WRITE_BACK("write-back"),
  /** When it is on stable storage. */
  WRITE_THROUGH("write-through");

  private final String text;

  Durability(String text) {
    this.text = text;
  }

  /** As in options and in status. */
  @Override
  public String toString() {
    return text;
  }
}
