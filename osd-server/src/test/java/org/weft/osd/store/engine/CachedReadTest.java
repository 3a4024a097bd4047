package org.weft.osd.store.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.weft.osd.store.engine.Requests.BLOCK;
import static org.weft.osd.store.engine.Requests.MANAGER;
import static org.weft.osd.store.engine.Requests.bytes;
import static org.weft.osd.store.engine.Requests.lsn;
import static org.weft.osd.store.engine.Requests.object;
import static org.weft.osd.store.engine.Requests.random;
import static org.weft.osd.store.engine.Requests.read;
import static org.weft.osd.store.engine.Requests.readOf;
import static org.weft.osd.store.engine.Requests.removal;
import static org.weft.osd.store.engine.Requests.write;

import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.weft.osd.store.ObjectRead;
import org.weft.osd.store.StoredRange;
import org.weft.osd.store.mutation.VersionRaise;
import org.weft.osd.store.value.Authority;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.testkit.storage.StorageFaults;

/** What is answered out of memory is what the last commit left. */
class CachedReadTest {
  private static final int PAGE_BYTES = 128 * BLOCK;
  private static final int ACROSS_PAGES = PAGE_BYTES - BLOCK;
  private static final int ROUNDS = 120;

  private Rig rig;

  @BeforeEach
  void openStore() throws WeftException {
    rig = Rig.small();
  }

  /** Null if the store would have to be asked. */
  private byte[] readNow(long offset, int length) throws WeftException {
    Optional<StoredRange> result = rig.store.readNow(readOf(1, offset, length));
    if (result.isEmpty()) {
      return null;
    }
    try {
      return bytes(result.get(), offset, length);
    } finally {
      result.get().payload().release();
    }
  }

  @Test
  void aSecondReadComesFromMemory() throws Exception {
    byte[] data = random(1, 3 * PAGE_BYTES);
    rig.apply(write(1, 0, data).build());
    rig.restart();
    assertNull(readNow(0, BLOCK), "it was not read yet");
    read(rig.store, 1, 0, PAGE_BYTES + 1);
    assertArrayEquals(Arrays.copyOf(data, 2 * PAGE_BYTES), readNow(0, 2 * PAGE_BYTES));
    assertNull(readNow(2 * PAGE_BYTES, BLOCK), "that part was not read");
  }

  @Test
  void everyCommitIsSeenAtOnce() throws Exception {
    byte[] data = random(1, 2 * BLOCK);
    rig.apply(write(1, 0, data).build());
    read(rig.store, 1, 0, data.length);

    byte[] next = random(2, 2 * BLOCK);
    rig.apply(write(1, 0, next).by(100, 2).complete(1).build());
    assertArrayEquals(next, readNow(0, next.length));
    assertArrayEquals(next, read(rig.store, 1, 0, next.length));

    rig.apply(new VersionRaise(object(1), MANAGER, lsn(200)));
    ObjectRead late = new ObjectRead(object(1), Authority.ofClient(lsn(150), 0), 0, BLOCK, false);
    assertEquals(
        ErrorCode.FENCED, assertThrows(WeftException.class, () -> rig.store.read(late)).code());
    assertEquals(
        ErrorCode.FENCED, assertThrows(WeftException.class, () -> rig.store.readNow(late)).code());

    rig.apply(removal(1, 300));
    assertNull(readNow(0, BLOCK), "the object was removed");
    assertEquals(
        ErrorCode.NO_SUCH_OBJECT,
        assertThrows(WeftException.class, () -> read(rig.store, 1, 0, BLOCK)).code());
  }

  @Test
  void aCachedObjectIsWrittenAndReadWithoutTheTables() throws Exception {
    byte[] data = random(1, 2 * BLOCK);
    rig.apply(write(1, ACROSS_PAGES, data).build());
    rig.faults.failWhere(
        operation -> operation.kind() == StorageFaults.Kind.KEY_READ, "the tables were asked");
    for (int sequence = 2; sequence < 6; sequence++) {
      byte[] part = random(sequence, BLOCK);
      System.arraycopy(part, 0, data, BLOCK / 2, BLOCK);
      rig.apply(
          write(1, ACROSS_PAGES + BLOCK / 2, part)
              .by(100, sequence)
              .complete(sequence - 1)
              .build());
      assertArrayEquals(data, readNow(ACROSS_PAGES, data.length));
    }
    rig.faults.failWhere(operation -> false, "");
    rig.restart();
    assertArrayEquals(data, read(rig.store, 1, ACROSS_PAGES, data.length));
  }

  /** Every block carries its own checksum: one that was used again meanwhile would not fit. */
  @Test
  @Timeout(60)
  void readersBesideAWriterSeeWholeCommitsThatNeverGoBack() throws Exception {
    rig.apply(write(1, ACROSS_PAGES, filled(0)).build());
    ExecutorService readers = Executors.newFixedThreadPool(2);
    try {
      Future<Integer> one = readers.submit(this::readUntilTheEnd);
      Future<Integer> other = readers.submit(this::readUntilTheEnd);
      for (int round = 1; round <= ROUNDS; round++) {
        rig.apply(write(1, ACROSS_PAGES, filled(round)).by(100, round + 1).complete(round).build());
      }
      assertEquals(ROUNDS, one.get());
      assertEquals(ROUNDS, other.get());
    } finally {
      readers.shutdownNow();
    }
  }

  private static byte[] filled(int round) {
    byte[] data = new byte[2 * BLOCK];
    Arrays.fill(data, (byte) round);
    return data;
  }

  private int readUntilTheEnd() throws WeftException {
    int seen = 0;
    while (seen < ROUNDS) {
      byte[] data = readNow(ACROSS_PAGES, 2 * BLOCK);
      if (data == null) {
        data = read(rig.store, 1, ACROSS_PAGES, 2 * BLOCK);
      }
      if (data[0] < seen) {
        throw new AssertionError("after round " + seen + " round " + data[0] + " was read");
      }
      seen = data[0];
      assertArrayEquals(filled(seen), data);
    }
    return seen;
  }
}
