package org.weft.osd.store.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.osd.store.BadBlock;
import org.weft.osd.store.MediumPlace;
import org.weft.osd.store.PartitionState;
import org.weft.osd.store.PendingKind;
import org.weft.osd.store.PendingWrite;
import org.weft.osd.store.ScrubNotes;
import org.weft.osd.store.value.AttributeValue;
import org.weft.osd.store.value.ObjectTag;
import org.weft.osd.store.value.WorkingKey;
import org.weft.protocol.id.ClusterId;
import org.weft.protocol.id.ObjectName;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;

/**
 * The bytes of every layout of format version 1. A store that holds these must stay readable: a
 * change here is a new format version.
 */
class GoldenBytesTest {
  /** Reads a value. */
  interface Decoder {
    Object decode(byte[] value) throws FormatException;
  }

  /** A value, the bytes that it has for ever, and their decoder. */
  record Golden(String name, Object value, byte[] encoded, String hex, Decoder decoder) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static final ExtentPage PAGE =
      new ExtentPage(
          2,
          List.of(
              new Extent(
                  256, 0, 0, 0x0000010000000064L, 5, 16, 0, 1000, new int[] {0x11111111, -1}),
              new Extent(300, Extent.SHARED, 7, 0x0000020000000001L, 9, 0, 3, 77, new int[] {42})));

  static Stream<Golden> values() {
    StoreHeader header =
        new StoreHeader(
            "00112233445566778899aabbccddeeff",
            Optional.of(new ClusterId("ffeeddccbbaa99887766554433221100")),
            Optional.of(new OsdId(3)),
            12,
            "boot",
            true,
            true,
            false,
            false,
            1000,
            2000);
    ObjectRecord object =
        new ObjectRecord(
            17,
            23,
            0x0000010000000064L,
            0x0000010000000033L,
            new ObjectTag(1, 2, 4, 1, 65536, 1, 2000),
            3,
            1_000_000,
            262144,
            64,
            5,
            CompletionMarks.NONE.with(0x0000010000000064L, 9).with(0x0000010000000065L, 2),
            true,
            false);
    PendingRecords pending =
        new PendingRecords(
            List.of(
                new PendingRecord(
                    new PendingWrite(
                        0x0000010000000064L,
                        10,
                        2,
                        PendingKind.STRIPE,
                        List.of(0, 3),
                        8192,
                        65537,
                        70000,
                        3),
                    6,
                    List.of(
                        new Extent(
                            2, 0, 1, 0x0000010000000063L, 5, 16, 4, 1000, new int[] {7, -1}))),
                new PendingRecord(
                    new PendingWrite(
                        0x0000010000000065L, 1, 1, PendingKind.ABORTED, List.of(), 0, 0, 0, 0),
                    7,
                    List.of())));
    PartitionState partition =
        new PartitionState(
            new PartitionId(7),
            List.of(new WorkingKey(1, keyOf(0x11)), new WorkingKey(2, keyOf(0x22))),
            5,
            0x0000010000000002L,
            9);
    ScrubNotes scrubbed =
        new ScrubNotes(
            1000,
            new MediumPlace(ObjectName.of(7, 8), 9),
            4096,
            OptionalLong.of(2000),
            List.of(new BadBlock(ObjectName.of(1, 2), 3, true)),
            true);
    BitSet used = new BitSet();
    used.set(0, 9);
    used.set(12);
    return Stream.of(
        new Golden(
            "header",
            header,
            HeaderCodec.encode(header),
            "574546544f534431"
                + "00000004"
                + "00001000"
                + "00112233445566778899aabbccddeeff"
                + "ffeeddccbbaa99887766554433221100"
                + "00000003"
                + "00000003"
                + "000000000000000c"
                + "00000000000003e8"
                + "00000000000007d0"
                + "0004"
                + "626f6f74",
            HeaderCodec::decode),
        new Golden(
            "number",
            0x0102030405060708L,
            NumberCodec.encode(0x0102030405060708L),
            "01" + "0102030405060708",
            NumberCodec::decode),
        new Golden(
            "segment",
            new SegmentEntry(4, "segment-00000004", 262144, 2048),
            SegmentCodec.encode(new SegmentEntry(4, "segment-00000004", 262144, 2048)),
            "01" + "00040000" + "00000800" + "0010" + "7365676d656e742d3030303030303034",
            value -> SegmentCodec.decode(4, value)),
        new Golden(
            "blocks given back",
            RevertedBlocks.NONE.with(List.of(3L, 4L, 9L)),
            RevertedBlocksCodec.encode(RevertedBlocks.NONE.with(List.of(3L, 4L, 9L))),
            "01"
                + "00"
                + "0002"
                + "0000000000000003"
                + "0000000000000005"
                + "0000000000000009"
                + "000000000000000a",
            RevertedBlocksCodec::decode),
        new Golden(
            "the scrubber's notes",
            scrubbed,
            ScrubNotesCodec.encode(scrubbed),
            "01"
                + "03"
                + "0001"
                + "00000000000003e8"
                + "00000000000007d0"
                + "0000000000001000"
                + "0000000000000007"
                + "0000000000000008"
                + "0000000000000009"
                + "0000000000000001"
                + "0000000000000002"
                + "0000000000000003"
                + "01",
            ScrubNotesCodec::decode),
        new Golden(
            "free map",
            used,
            FreeMapCodec.encode(used, 20),
            "01" + "00000014" + "ff1100",
            FreeMapCodec::decode),
        new Golden(
            "object",
            object,
            ObjectRecordCodec.encode(object),
            "02"
                + "01"
                + "0000000000000011"
                + "0000000000000017"
                + "0000010000000064"
                + "0000010000000033"
                + "00000001"
                + "00000002"
                + "00000004"
                + "00000001"
                + "00010000"
                + "00000001"
                + "000007d0"
                + "00000003"
                + "00000000000f4240"
                + "0000000000040000"
                + "0000000000000040"
                + "00000005"
                + "0002"
                + "0000010000000064"
                + "0000000000000009"
                + "0000010000000065"
                + "0000000000000002",
            ObjectRecordCodec::decode),
        new Golden(
            "pending list",
            pending,
            PendingCodec.encode(pending),
            "01"
                + "00000002"
                + "0000010000000064"
                + "000000000000000a"
                + "00000002"
                + "00"
                + "00"
                + "0000000000002000"
                + "0000000000010001"
                + "0000000000011170"
                + "0000000000000006"
                + "00000003"
                + "0002"
                + "00000001"
                + "00000000"
                + "00000003"
                + "0000000000000002"
                + "0002"
                + "0010"
                + "0000"
                + "0000"
                + "00000001"
                + "00000004"
                + "000003e8"
                + "0000010000000063"
                + "0000000000000005"
                + "00000007"
                + "ffffffff"
                + "0000010000000065"
                + "0000000000000001"
                + "00000001"
                + "03"
                + "00"
                + "0000000000000000"
                + "0000000000000000"
                + "0000000000000000"
                + "0000000000000007"
                + "00000000"
                + "0000"
                + "00000000",
            PendingCodec::decode),
        new Golden(
            "extent page",
            PAGE,
            ExtentPageCodec.encode(PAGE),
            "02"
                + "02"
                + "1a"
                + "02"
                + "0000010000000064"
                + "0000"
                + "0010"
                + "00000000"
                + "d00f"
                + "0a"
                + "1d"
                + "2c"
                + "00000003"
                + "0000020000000001"
                + "0001"
                + "0000"
                + "00000007"
                + "b90e"
                + "08"
                + "11111111"
                + "ffffffff"
                + "0000002a",
            value -> ExtentPageCodec.decode(2, value)),
        new Golden(
            "partition",
            partition,
            PartitionCodec.encode(partition),
            "02"
                + "0000000000000005"
                + "0000010000000002"
                + "0000000000000009"
                + "0002"
                + "00000001"
                + "11".repeat(32)
                + "00000002"
                + "22".repeat(32),
            value -> PartitionCodec.decode(new PartitionId(7), value)),
        new Golden(
            "attribute page",
            new AttributeValue(3, 0x0000010000000064L, new byte[] {1, 2, 3}),
            AttributeCodec.encode(new AttributeValue(3, 0x0000010000000064L, new byte[] {1, 2, 3})),
            "01" + "0000010000000064" + "00000003" + "010203",
            value -> AttributeCodec.decode(3, value)));
  }

  private static byte[] keyOf(int value) {
    byte[] key = new byte[WorkingKey.KEY_BYTES];
    Arrays.fill(key, (byte) value);
    return key;
  }

  @ParameterizedTest
  @MethodSource("values")
  void valuesHaveTheseBytes(Golden golden) throws FormatException {
    assertEquals(golden.hex(), HexFormat.of().formatHex(golden.encoded()));
    // Records with arrays are not equal by their bytes: compare what is written again.
    assertEquals(
        describe(golden.value()),
        describe(golden.decoder().decode(HexFormat.of().parseHex(golden.hex()))));
  }

  @Test
  void extentPagesOfOlderStoresAreRead() throws FormatException {
    String old =
        "01"
            + "02"
            + "00"
            + "02"
            + "0000"
            + "0010"
            + "0000"
            + "00000000"
            + "00000000"
            + "000003e8"
            + "0000010000000064"
            + "0000000000000005"
            + "2c"
            + "01"
            + "0001"
            + "0000"
            + "0000"
            + "00000007"
            + "00000003"
            + "0000004d"
            + "0000020000000001"
            + "0000000000000009"
            + "11111111"
            + "ffffffff"
            + "0000002a";
    ExtentPage page = ExtentPageCodec.decode(2, HexFormat.of().parseHex(old));
    assertEquals(describe(PAGE), describe(page));
  }

  @Test
  void partitionsOfOlderStoresAreRead() throws FormatException {
    String old =
        "01"
            + "0000000000000005"
            + "0000010000000002"
            + "0001"
            + "00000001"
            + "11".repeat(WorkingKey.KEY_BYTES);
    PartitionState read = PartitionCodec.decode(new PartitionId(7), HexFormat.of().parseHex(old));
    PartitionState expected =
        new PartitionState(
            new PartitionId(7), List.of(new WorkingKey(1, keyOf(0x11))), 5, 0x0000010000000002L, 0);
    assertEquals(describe(expected), describe(read));
  }

  @Test
  void lastStartsHaveTheseBytes() throws FormatException {
    KnownStarts starts = KnownStarts.letIn(5).started(6, 7, 8);
    String hex = "0000000000000007" + "0000000000000008" + "0000000000000005" + "0000000000000006";
    assertEquals(hex, HexFormat.of().formatHex(starts.encode()));
    assertEquals(starts, KnownStarts.decode(HexFormat.of().parseHex(hex)));
  }

  @Test
  void eachFlagOfAHeaderHasItsBit() throws FormatException {
    String[] fields = {"clean=true", "suspect=true", "quarantined=true", "oneLife=true"};
    byte[] value =
        HeaderCodec.encode(
            new StoreHeader(
                "0".repeat(32),
                Optional.empty(),
                Optional.empty(),
                1,
                "b",
                false,
                false,
                false,
                false,
                0,
                1));
    for (int flag = 0; flag < fields.length; flag++) {
      value[55] = (byte) (1 << flag);
      String header = HeaderCodec.decode(value).toString();
      for (String field : fields) {
        assertEquals(field.equals(fields[flag]), header.contains(field), header);
      }
      assertArrayEquals(value, HeaderCodec.encode(HeaderCodec.decode(value)));
    }
  }

  private static String describe(Object value) {
    if (value instanceof ExtentPage page) {
      return HexFormat.of().formatHex(ExtentPageCodec.encode(page));
    } else if (value instanceof PendingRecords list) {
      return HexFormat.of().formatHex(PendingCodec.encode(list));
    } else if (value instanceof PartitionState state) {
      return HexFormat.of().formatHex(PartitionCodec.encode(state));
    } else if (value instanceof AttributeValue page) {
      return page.page() + HexFormat.of().formatHex(AttributeCodec.encode(page));
    }
    return value.toString();
  }

  @ParameterizedTest
  @MethodSource("values")
  void damagedValuesAreRefusedAndNeverMore(Golden golden) {
    byte[] good = golden.encoded();
    for (int length = 0; length < good.length; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      assertThrows(FormatException.class, () -> golden.decoder().decode(cut));
    }
    byte[] longer = Arrays.copyOf(good, good.length + 1);
    assertThrows(FormatException.class, () -> golden.decoder().decode(longer));
    RandomGenerator random = new SplittableRandom(1);
    for (int round = 0; round < 20_000; round++) {
      byte[] damaged = good.clone();
      for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      try {
        golden.decoder().decode(damaged);
      } catch (FormatException expected) {
        // Whatever else is thrown fails the test.
      }
    }
  }

  @Test
  void anotherFormatVersionIsNamed() throws FormatException {
    byte[] value =
        HeaderCodec.encode(
            new StoreHeader(
                "0".repeat(32),
                Optional.empty(),
                Optional.empty(),
                1,
                "b",
                true,
                false,
                false,
                false,
                0,
                1));
    value[11] = 9;
    assertEquals(9, HeaderCodec.formatVersion(value));
    FormatException refused = assertThrows(FormatException.class, () -> HeaderCodec.decode(value));
    assertEquals(
        "the store has format version 9, this release reads 2 to 4 and writes 4; start the release"
            + " that wrote it",
        refused.getMessage());
  }

  /** Its next start makes it one of this version. */
  @Test
  void aStoreOfTheVersionBeforeIsRead() throws FormatException {
    StoreHeader header =
        new StoreHeader(
            "0".repeat(32),
            Optional.empty(),
            Optional.empty(),
            1,
            "b",
            true,
            false,
            false,
            false,
            0,
            1);
    byte[] value = HeaderCodec.encode(header);
    value[11] = 2;
    assertEquals(header, HeaderCodec.decode(value));
    value[11] = 1;
    assertThrows(FormatException.class, () -> HeaderCodec.decode(value));
  }

  @Test
  void keysHaveTheseBytes() {
    ObjectName name = ObjectName.of(1, 2);
    String one = "0000000000000001";
    String two = "0000000000000002";
    assertKey("48", StoreKeys.header());
    assertKey("43", StoreKeys.checkpoint());
    assertKey("4d", StoreKeys.scrubNotes());
    assertKey("4e", StoreKeys.starts());
    assertKey("53" + "00000005", StoreKeys.segment(5));
    assertKey("46" + "00000005", StoreKeys.freeMap(5));
    assertKey("50" + one, StoreKeys.partition(new PartitionId(1)));
    assertKey("4f" + one + two, StoreKeys.object(name));
    assertKey("41" + one + "00000002", StoreKeys.attribute(1, 2));
    assertKey("45" + one + two, StoreKeys.extents(1, 2));
    assertKey("55" + "0000000000000003" + one + two, StoreKeys.replaced(3, 1, 2));
    assertKey("42" + one + "00000002" + "00000003", StoreKeys.blockCopy(1, 2, 3));
    assertEquals(2, StoreKeys.copySegmentOf(StoreKeys.blockCopy(1, 2, 3)));
    assertEquals(3, StoreKeys.copyBlockOf(StoreKeys.blockCopy(1, 2, 3)));
    assertKey("44" + one, StoreKeys.doomed(1));
    assertKey("57" + one, StoreKeys.pending(1));
    assertKey("47" + one, StoreKeys.givenBack(1));
    assertKey("54" + one + two, StoreKeys.tombstone(name));
    assertKey(
        "4c" + one + "0000000000000003" + two, StoreKeys.tombstoneByLsn(new PartitionId(1), 3, 2));
    assertEquals(name, StoreKeys.nameOf(StoreKeys.object(name)));
    assertEquals(2, StoreKeys.attributePageOf(StoreKeys.attribute(1, 2)));
    assertEquals(5, StoreKeys.segmentOf(StoreKeys.segment(5)));
    assertKey("4500000000000000ff", StoreKeys.prefix(StoreKeys.EXTENTS, 255));
    assertKey(
        "450000000000000100".substring(0, 16) + "01",
        StoreKeys.after(HexFormat.of().parseHex("450000000000000100")));
    assertArrayEquals(
        HexFormat.of().parseHex("46"), StoreKeys.after(HexFormat.of().parseHex("45ff")));
  }

  private static void assertKey(String hex, byte[] key) {
    assertEquals(hex, HexFormat.of().formatHex(key));
  }
}
