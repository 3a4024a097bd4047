package org.weft.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.ModelGateway;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.model.Nfs3Client.Result;
import org.weft.nfs.oncrpc.OncRpcOptions;

/** Where no memory is left for a reply, the client is given a part of what it asked for. */
class ShortRepliesTest {
  private static final OncRpcOptions USUAL = OncRpcOptions.USUAL;
  private static final int MEMORY_BYTES = 64 << 10;
  private static final int RECORD_BYTES = 24 << 10;
  private static final int SHORT_BYTES = 16 << 10;
  private static final int FILE_BYTES = 256 << 10;
  private static final int PIECE = 16 << 10;
  private static final int NAMES = 200;

  private final ModelFileService files = new ModelFileService(1 << 20);
  private ModelGateway gateway;
  private Nfs3Client client;
  private byte[] root;

  @BeforeEach
  void start() {
    OncRpcOptions options =
        new OncRpcOptions(
            USUAL.eventLoopThreads(),
            USUAL.mostConnections(),
            RECORD_BYTES,
            USUAL.mostCallsUnderWay(),
            USUAL.mostBytesUnderWay(),
            MEMORY_BYTES,
            USUAL.stallMillis(),
            USUAL.stopGraceMillis(),
            USUAL.keptReplies());
    gateway = new ModelGateway(files, files.root(), 0, options);
    client = new Nfs3Client(gateway.connect(gateway.address()), 0, 0);
    root = client.mount("/").handle;
  }

  @AfterEach
  void stop() {
    gateway.close();
  }

  @Test
  void aReadBringsItsFirstBytes() {
    byte[] content = new byte[FILE_BYTES];
    new Random(7).nextBytes(content);
    byte[] file = client.create(root, "file", true, Nfs3Client.Set.mode(0644)).handle;
    for (int at = 0; at < FILE_BYTES; at += PIECE) {
      byte[] piece = Arrays.copyOfRange(content, at, at + PIECE);
      assertEquals(Nfs3Client.OK, client.write(file, at, Nfs3Client.FILE_SYNC, piece).status);
    }
    Result read = client.read(file, 0, FILE_BYTES);
    assertEquals(Nfs3Client.OK, read.status);
    assertTrue(read.data.length > 0 && read.data.length <= SHORT_BYTES, "" + read.data.length);
    assertFalse(read.end);
    assertArrayEquals(Arrays.copyOf(content, read.data.length), read.data);
    Result fits = client.read(file, FILE_BYTES - PIECE, PIECE);
    assertArrayEquals(Arrays.copyOfRange(content, FILE_BYTES - PIECE, FILE_BYTES), fits.data);
    assertTrue(fits.end);
  }

  @Test
  void listingContinuesBehindAShortReply() {
    for (int i = 0; i < NAMES; i++) {
      client.mkDir(root, "n".repeat(100) + i, Nfs3Client.Set.mode(0755));
    }
    for (boolean plus : new boolean[] {false, true}) {
      long cookie = 0;
      long verifier = 0;
      int names = 0;
      int calls = 0;
      boolean isEnd = false;
      while (!isEnd) {
        Result page =
            plus
                ? client.readDirPlus(root, cookie, FILE_BYTES, FILE_BYTES)
                : client.readDir(root, cookie, verifier, FILE_BYTES);
        assertEquals(Nfs3Client.OK, page.status);
        names += page.entries.size();
        cookie = page.entries.get(page.entries.size() - 1).cookie();
        verifier = page.verifier;
        isEnd = page.end;
        calls++;
      }
      assertEquals(NAMES + 2, names);
      assertTrue(calls > 1, "one reply of more than " + SHORT_BYTES + " bytes");
    }
  }
}
