package org.weft.nfs.v3;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Supplier;
import org.weft.nfs.oncrpc.XdrWriter;

/** Arguments of the procedures of NFS version 3, chosen at random. Confined to one thread. */
public final class RandomArguments {
  private final Random random;
  private final Supplier<byte[]> handle;

  /**
   * @param handle gives one of those that calls are about
   */
  public RandomArguments(Random random, Supplier<byte[]> handle) {
    this.random = random;
    this.handle = handle;
  }

  private byte[] name() {
    String[] names = {"a", "b", "c", "d", ".", "..", "", "x".repeat(255), "x".repeat(256), "a/b"};
    return names[random.nextInt(names.length)].getBytes(StandardCharsets.UTF_8);
  }

  private void attributes(XdrWriter out) {
    for (int i = 0; i < 3; i++) {
      boolean set = random.nextBoolean();
      out.bool(set);
      if (set) {
        out.int32(i == 0 ? random.nextInt(010000) : random.nextInt(3));
      }
    }
    boolean size = random.nextInt(4) == 0;
    out.bool(size);
    if (size) {
      out.int64(random.nextInt(5_000));
    }
    for (int i = 0; i < 2; i++) {
      int how = random.nextInt(3);
      out.int32(how);
      if (how == 2) {
        out.int32(random.nextInt()).int32(random.nextInt(1_000_000_000));
      }
    }
  }

  /** Arguments of a procedure that can be read. */
  public byte[] of(int procedure) {
    return XdrWriter.bytes(
        out -> {
          out.opaque(handle.get());
          switch (procedure) {
            case 2 -> {
              attributes(out);
              out.bool(false);
            }
            case 3, 12, 13 -> out.opaque(name());
            case 4 -> out.int32(random.nextInt(64));
            case 6 -> out.int64(random.nextInt(9_000)).int32(random.nextInt(9_000));
            case 7 -> {
              byte[] data = new byte[random.nextInt(5_000)];
              out.int64(random.nextInt(9_000)).int32(data.length).int32(random.nextInt(3));
              out.opaque(data);
            }
            case 8 -> {
              int how = random.nextInt(3);
              out.opaque(name()).int32(how);
              if (how == 2) {
                out.int64(random.nextInt(3));
              } else {
                attributes(out);
              }
            }
            case 9 -> {
              out.opaque(name());
              attributes(out);
            }
            case 10 -> {
              out.opaque(name());
              attributes(out);
              out.opaque(new byte[random.nextInt(5_000)]);
            }
            case 11 -> {
              int type = random.nextInt(9);
              out.opaque(name()).int32(type);
              attributes(out);
              out.int32(1).int32(2);
            }
            case 14 -> out.opaque(name()).opaque(handle.get()).opaque(name());
            case 15 -> out.opaque(handle.get()).opaque(name());
            case 16 -> out.int64(random.nextInt(9)).int64(0).int32(random.nextInt(3_000));
            case 17 ->
                out.int64(random.nextInt(9))
                    .int64(0)
                    .int32(random.nextInt(3_000))
                    .int32(random.nextInt(9_000));
            case 21 -> out.int64(random.nextInt(9_000)).int32(random.nextInt(9_000));
            default -> {}
          }
        });
  }

  /** The same, perhaps cut, or with other bits, words or bytes; never longer. */
  public byte[] damaged(byte[] whole) {
    byte[] bytes = Arrays.copyOf(whole, whole.length);
    switch (random.nextInt(6)) {
      case 0 -> {
        return Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
      }
      case 1 -> random.nextBytes(bytes);
      case 2 -> {
        ByteBuffer words = ByteBuffer.wrap(bytes);
        int[] odd = {-1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0, 1, 65, 1 << 20, random.nextInt()};
        for (int i = random.nextInt(3); i >= 0; i--) {
          words.putInt(random.nextInt(bytes.length / 4) * 4, odd[random.nextInt(odd.length)]);
        }
      }
      case 3 -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      default -> {}
    }
    return bytes;
  }
}
