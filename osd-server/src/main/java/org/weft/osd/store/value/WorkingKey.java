package org.weft.osd.store.value;

/** A key that signs a partition's capabilities; several versions are valid for an overlap. */
public record WorkingKey(int version, byte[] key) {
  public static final int KEY_BYTES = 32;

  public WorkingKey {
    if (key.length != KEY_BYTES) {
      throw new IllegalArgumentException(
          "a working key has " + KEY_BYTES + " bytes, got " + key.length);
    }
  }

  @Override
  public String toString() {
    return "WorkingKey[version=" + version + "]";
  }
}
