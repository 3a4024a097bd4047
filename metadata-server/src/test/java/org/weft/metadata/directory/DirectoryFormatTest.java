package org.weft.metadata.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.weft.metadata.attributes.NodeKind;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/** The bytes of directory blocks, as {@link DirectoryBlock} and its kinds draw them. */
class DirectoryFormatTest {
  private static final HashKey KEY = new HashKey(0x0102030405060708L, 0x090a0b0c0d0e0f10L);

  private static DirectoryEntry entry() {
    return new DirectoryEntry(
        new ObjectId(0x1122334455667788L),
        NodeKind.DIRECTORY,
        Lsn.of(2, 3),
        List.of(new OsdId(9), new OsdId(4)));
  }

  private static String hex(byte[] block, int from, int to) {
    return HexFormat.of().formatHex(block, from, to);
  }

  @Test
  void sipHashGivesThePublishedResult() {
    byte[] message = new byte[15];
    for (int index = 0; index < message.length; index++) {
      message[index] = (byte) index;
    }
    HashKey key = new HashKey(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);
    assertEquals(0xa129ca6149be45e5L, SipHash.hash(key, message));
    assertEquals(0x726fdb47dd0e0e31L, SipHash.hash(key, new byte[0]));
  }

  @Test
  void goldenHeaderAndBucket() {
    MemoryBlocks blocks = new MemoryBlocks(false);
    Directory directory = new Directory(blocks, (key, name) -> 0x4000000000000100L);
    directory.create(KEY, Lsn.of(2, 1));
    assertTrue(directory.put("aé", entry(), Lsn.of(2, 3)).value());
    byte[] header = blocks.disk.get(0);
    assertEquals(
        "57444831" // WDH1
            + "fc5b639c"
            + "0000020000000003" // LSN 2:3
            + "0000000000000001" // entries
            + "0102030405060708090a0b0c0d0e0f10" // key
            + "00000002" // next block
            + "00000000" // no free blocks, depth 0
            + "0000000100000000", // slot 0: bucket 1
        hex(header, 0, 56));
    assertEquals("00".repeat(4040), hex(header, 56, 4096));
    byte[] bucket = blocks.disk.get(1);
    assertEquals(
        "57444231" // WDB1
            + "6c13428b"
            + "0000020000000003" // LSN 2:3
            + "0001" // one entry
            + "003f" // ends at 63
            + "00000000"
            + "4000000000000101" // cookie
            + "1122334455667788" // object
            + "0000020000000003" // LSN
            + "02020300" // directory, two hints, three bytes of name
            + "0000000900000004"
            + "61c3a9",
        hex(bucket, 0, 63));
    assertEquals("00".repeat(4033), hex(bucket, 63, 4096));
  }

  @Test
  void goldenIndexNode() {
    IndexNode node = IndexNode.over(5);
    node.doubleSlots();
    node.fill(2, 1, IndexNode.pointerToNode(6));
    byte[] block = DirectoryBlock.seal(node.bytes(), MemoryBlocks.ID, 3, Lsn.of(1, 1));
    assertEquals(
        "57444931" // WDI1
            + "92dc9984"
            + "0000010000000001" // LSN 1:1
            + "0002" // depth
            + "00".repeat(30)
            + "00000005000000058000000600000005",
        hex(block, 0, 64));
    assertTrue(DirectoryBlock.problemOf(MemoryBlocks.ID, 3, block).isEmpty());
  }

  @Test
  void aBlockInTheWrongPlaceIsSeen() {
    MemoryBlocks blocks = new MemoryBlocks(false);
    new Directory(blocks).create(KEY, Lsn.of(1, 1));
    byte[] header = blocks.disk.get(0);
    assertTrue(DirectoryBlock.problemOf(MemoryBlocks.ID, 0, header).isEmpty());
    assertTrue(DirectoryBlock.problemOf(MemoryBlocks.ID, 1, header).isPresent());
    assertTrue(DirectoryBlock.problemOf(new ObjectId(78), 0, header).isPresent());
    assertTrue(DirectoryBlock.problemOf(MemoryBlocks.ID, 0, new byte[4096]).isPresent());
    assertTrue(DirectoryBlock.problemOf(MemoryBlocks.ID, 0, new byte[5]).isPresent());
  }

  @Test
  void everyFlippedBitIsSeen() {
    MemoryBlocks blocks = new MemoryBlocks(false);
    Directory directory = new Directory(blocks);
    directory.create(KEY, Lsn.of(1, 1));
    for (int index = 0; index < 50; index++) {
      directory.put("name " + index, entry(), Lsn.of(1, 2 + index));
    }
    for (int number : blocks.disk.keySet()) {
      byte[] block = blocks.disk.get(number).clone();
      for (int bit = 0; bit < block.length * 8; bit += 7) {
        block[bit / 8] ^= (byte) (1 << bit % 8);
        assertTrue(DirectoryBlock.problemOf(MemoryBlocks.ID, number, block).isPresent());
        block[bit / 8] ^= (byte) (1 << bit % 8);
      }
    }
  }

  @Test
  void nonsenseBehindAGoodChecksumIsRefusedOrHarmless() {
    Random random = new Random(8);
    for (int round = 0; round < 20_000; round++) {
      DirectoryBlock.Kind kind = DirectoryBlock.Kind.values()[random.nextInt(3)];
      java.nio.ByteBuffer bytes = DirectoryBlock.blank(kind);
      int length = random.nextInt(200);
      for (int index = 0; index < length; index++) {
        bytes.put(16 + index, (byte) random.nextInt(random.nextBoolean() ? 256 : 4));
      }
      int number = kind == DirectoryBlock.Kind.HEADER ? 0 : 1;
      byte[] block = DirectoryBlock.seal(bytes, MemoryBlocks.ID, number, Lsn.of(1, 1));
      if (DirectoryBlock.problemOf(MemoryBlocks.ID, number, block).isEmpty()
          && kind == DirectoryBlock.Kind.BUCKET) {
        Bucket.of(block).listAfter(0, 1000, new java.util.ArrayList<>());
      }
    }
  }
}
