package org.weft.protocol.capability;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.PartitionId;

/**
 * What a volume's manager signs {@link FileHandle}s with, so that no client makes one of a number
 * that was guessed. Drawn once in a volume's life and kept in its journal: handles outlive any
 * manager. Immutable.
 */
public final class HandleKey {
  public static final int BYTES = 32;

  private static final int FIRST_NUMBER = 1;
  private static final byte[] LABEL = "weft-handle".getBytes(StandardCharsets.US_ASCII);

  private final int number;
  private final byte[] key;

  private HandleKey(int number, byte[] key) {
    this.number = number;
    this.key = key;
  }

  /**
   * Draws a volume's first key.
   *
   * @param random cryptographically strong in a daemon
   */
  public static HandleKey draw(RandomGenerator random) {
    byte[] drawn = new byte[BYTES];
    random.nextBytes(drawn);
    return new HandleKey(FIRST_NUMBER, drawn);
  }

  /**
   * @param number 1 to 65535; stands in every handle
   * @throws IllegalArgumentException unless the key has {@value #BYTES} bytes
   */
  public static HandleKey of(int number, byte[] key) {
    if (key.length != BYTES) {
      throw new IllegalArgumentException(
          "a key for handles has " + BYTES + " bytes, got " + key.length);
    }
    return new HandleKey(number, key.clone());
  }

  public int number() {
    return number;
  }

  public byte[] bytes() {
    return key.clone();
  }

  /** The object's handle: always the same one. */
  public FileHandle handle(PartitionId volume, ObjectId object) {
    return new FileHandle(volume, object, number, mac(volume, object));
  }

  /** True if the handle was made with this key. */
  public boolean made(FileHandle handle) {
    return handle.keyNumber() == number
        && Hmac.same(
            handle.mac().toByteArray(), mac(handle.volume(), handle.object()).toByteArray());
  }

  private ByteString mac(PartitionId volume, ObjectId object) {
    byte[] mac = Hmac.sha256(key, LABEL, FileHandle.signedPart(volume, object, number));
    return UnsafeByteOperations.unsafeWrap(mac, 0, FileHandle.MAC_BYTES);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof HandleKey that && number == that.number && Hmac.same(key, that.key);
  }

  @Override
  public int hashCode() {
    return 31 * number + Arrays.hashCode(key);
  }

  /** Says nothing of the key itself. */
  @Override
  public String toString() {
    return "handle key " + number;
  }
}
