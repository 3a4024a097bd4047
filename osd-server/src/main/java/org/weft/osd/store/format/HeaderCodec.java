package org.weft.osd.store.format;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.OsdId;

/**
 * The store header. Its magic and format version stay where they are in every release. The format
 * version covers all layouts of the store, and no release opens a store of a version it does not
 * know.
 *
 * <pre>
 *  0 magic "WEFTOSD1" (8 bytes)
 *  8 format version u32 = 4 | block bytes u32 = 4096
 * 16 identity (16 bytes)
 * 32 cluster id (16 bytes; zero: none yet)
 * 48 OSD id u32 (0: none yet) | flags u32 (1 clean, 2 suspect, 4 quarantined, 8 one life)
 * 56 incarnation u64 | objects u64 | next handle u64
 * 80 boot id length u16 | boot id (UTF-8)
 * </pre>
 *
 * A store of version 2 holds no {@link StoreKeys#BLOCK_COPY copies of blocks}. One of version 3 or
 * less holds {@linkplain FixedExtents pages of fixed length for each extent}. With its first start
 * it becomes one of version 4.
 */
public final class HeaderCodec {
  public static final int FORMAT_VERSION = 4;
  public static final int BLOCK_BYTES = 4096;

  private static final int OLDEST_VERSION = 2;

  /** What to do with a store of another version, for a person. */
  public static final String READABLE =
      "this release reads "
          + OLDEST_VERSION
          + " to "
          + FORMAT_VERSION
          + " and writes "
          + FORMAT_VERSION
          + "; start the release that wrote it";

  private static final byte[] MAGIC = "WEFTOSD1".getBytes(StandardCharsets.US_ASCII);
  private static final int ID_BYTES = 16;
  private static final int FIXED_BYTES = 82;
  private static final int MAX_BOOT_ID_BYTES = 1024;
  private static final int CLEAN = 1;
  private static final int SUSPECT = 2;
  private static final int QUARANTINED = 4;

  /** An older release ignores it, and leaves it away in what it writes. */
  private static final int ONE_LIFE = 8;

  private static final HexFormat HEX = HexFormat.of();

  private HeaderCodec() {}

  public static byte[] encode(StoreHeader header) {
    byte[] bootId = header.bootId().getBytes(StandardCharsets.UTF_8);
    if (bootId.length > MAX_BOOT_ID_BYTES) {
      throw new IllegalArgumentException("a boot id has at most " + MAX_BOOT_ID_BYTES + " bytes");
    }
    int flags =
        (header.clean() ? CLEAN : 0)
            | (header.suspect() ? SUSPECT : 0)
            | (header.oneLife() ? ONE_LIFE : 0)
            | (header.quarantined() ? QUARANTINED : 0);
    return ByteBuffer.allocate(FIXED_BYTES + bootId.length)
        .put(MAGIC)
        .putInt(FORMAT_VERSION)
        .putInt(BLOCK_BYTES)
        .put(HEX.parseHex(header.identity()))
        .put(header.cluster().map(id -> HEX.parseHex(id.value())).orElse(new byte[ID_BYTES]))
        .putInt(header.osd().map(OsdId::value).orElse(0))
        .putInt(flags)
        .putLong(header.incarnation())
        .putLong(header.objects())
        .putLong(header.nextHandle())
        .putShort((short) bootId.length)
        .put(bootId)
        .array();
  }

  /** The format version of a store, which may be one that this release does not know. */
  public static int formatVersion(byte[] value) throws FormatException {
    int prefix = MAGIC.length;
    if (value.length < prefix + Integer.BYTES
        || !Arrays.equals(value, 0, prefix, MAGIC, 0, prefix)) {
      throw new FormatException("this is no object store of Weft: its header has another magic");
    }
    return ByteBuffer.wrap(value).getInt(prefix);
  }

  /** True if this release reads stores of the version. */
  public static boolean isReadable(int version) {
    return version >= OLDEST_VERSION && version <= FORMAT_VERSION;
  }

  public static StoreHeader decode(byte[] value) throws FormatException {
    int version = formatVersion(value);
    if (!isReadable(version)) {
      throw new FormatException("the store has format version " + version + ", " + READABLE);
    }
    if (value.length < FIXED_BYTES) {
      throw new FormatException("the store header is cut short at " + value.length + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(value).position(MAGIC.length + Integer.BYTES);
    int blockBytes = in.getInt();
    if (blockBytes != BLOCK_BYTES) {
      throw new FormatException("the store has blocks of " + blockBytes + " bytes");
    }
    return fields(in);
  }

  private static StoreHeader fields(ByteBuffer in) throws FormatException {
    String identity = hex(in);
    String cluster = hex(in);
    int osd = in.getInt();
    int flags = in.getInt();
    long incarnation = in.getLong();
    long objects = in.getLong();
    long nextHandle = in.getLong();
    byte[] bootId = new byte[in.getShort() & 0xffff];
    if (in.remaining() != bootId.length) {
      throw new FormatException("the store header has the wrong length");
    }
    in.get(bootId);
    return new StoreHeader(
        identity,
        cluster.chars().allMatch(digit -> digit == '0')
            ? Optional.empty()
            : Optional.of(new ClusterId(cluster)),
        osd == 0 ? Optional.empty() : Optional.of(new OsdId(osd)),
        incarnation,
        new String(bootId, StandardCharsets.UTF_8),
        (flags & CLEAN) != 0,
        (flags & SUSPECT) != 0,
        (flags & ONE_LIFE) != 0,
        (flags & QUARANTINED) != 0,
        objects,
        nextHandle);
  }

  private static String hex(ByteBuffer in) {
    byte[] id = new byte[ID_BYTES];
    in.get(id);
    return HEX.formatHex(id);
  }
}
