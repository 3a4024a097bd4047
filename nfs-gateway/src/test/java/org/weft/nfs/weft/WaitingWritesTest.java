package org.weft.nfs.weft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.weft.client.ids.AllowedWrite;
import org.weft.client.ids.Answers;
import org.weft.client.ids.FilesById;
import org.weft.client.ids.NodeChange;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.ids.WriteStability;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileReply;
import org.weft.nfs.files.Request;
import org.weft.nfs.files.RequestMark;
import org.weft.nfs.files.Stability;
import org.weft.protocol.rpc.Payload;
import org.weft.protocol.seam.Environment;
import org.weft.testkit.sim.VirtualTime;

/** WRITEs for a volume that is away: what they hold, and what others get meanwhile. */
class WaitingWritesTest {
  private static final int WRITES = 16;
  private static final int BYTES = 1 << 20;
  private static final NodeId AWAY = NodeId.of(1, 70_000);
  private static final NodeId THERE = NodeId.of(2, 70_000);

  private final VirtualTime time = new VirtualTime(96_280_001);
  private final AtomicInteger held = new AtomicInteger();
  private final List<CompletableFuture<AllowedWrite>> asked = new ArrayList<>();
  private final List<Payload> written = new ArrayList<>();
  private final FilesById cluster =
      (FilesById)
          Proxy.newProxyInstance(
              FilesById.class.getClassLoader(),
              new Class<?>[] {FilesById.class},
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "losses" -> 0L;
                    case "writable" -> writable((NodeId) arguments[1]);
                    default -> throw new AssertionError(method);
                  });
  private final WeftFileService service =
      new WeftFileService(
          () -> Optional.of(cluster),
          1L << 30,
          new Environment(time, time, time, new Random(1), null, null));

  private CompletableFuture<AllowedWrite> writable(NodeId file) {
    CompletableFuture<AllowedWrite> found = new CompletableFuture<>();
    if (file.equals(AWAY)) {
      asked.add(found);
    } else {
      found.complete(this::taken);
    }
    return found;
  }

  private CompletableFuture<Answers.BytesWritten> taken(long offsetBytes, Payload bytes) {
    int count = bytes.lengthBytes();
    written.add(bytes);
    bytes.release();
    return CompletableFuture.completedFuture(
        new Answers.BytesWritten(count, WriteStability.UNSTABLE, NodeChange.UNKNOWN));
  }

  private CompletableFuture<FileReply.Written> write(NodeId file) {
    held.incrementAndGet();
    Payload bytes = Payload.of(List.of(ByteBuffer.allocate(BYTES)), held::decrementAndGet);
    Request by =
        new Request(
            new OnBehalfOf("ann", List.of("staff"), false),
            new Request.Origin(InetAddress.getLoopbackAddress(), 1, new RequestMark(0, 0, 0)));
    return service.write(by, file, 0, bytes, Stability.UNSTABLE).toCompletableFuture();
  }

  private static FileError error(CompletableFuture<FileReply.Written> reply) {
    assertTrue(reply.isCompletedExceptionally());
    return FileException.of(assertThrows(CompletionException.class, reply::join)).error();
  }

  @Test
  void refusedWritesGiveTheirBytesBackAndAreNeverDone() {
    List<CompletableFuture<FileReply.Written>> replies = new ArrayList<>();
    for (int i = 0; i < WRITES; i++) {
      replies.add(write(AWAY));
    }
    assertEquals(WRITES, held.get());
    time.pass(TimeUnit.SECONDS.toNanos(3));
    assertEquals(HeldCalls.MAX_BYTES / BYTES, held.get(), "bytes that still wait");
    assertEquals(FileError.TRY_LATER, error(write(AWAY)), "a further one is refused at once");
    assertEquals(BYTES, write(THERE).join().countBytes(), "another volume");
    time.pass(TimeUnit.SECONDS.toNanos(20));
    assertEquals(0, held.get());
    replies.forEach(each -> assertEquals(FileError.TRY_LATER, error(each)));
    assertEquals(1, written.size());
    // The manager answers in the end: what was refused must not be written now.
    List.copyOf(asked).forEach(each -> each.complete(this::taken));
    assertEquals(1, written.size());
    CompletableFuture<FileReply.Written> again = write(AWAY);
    assertFalse(again.isDone());
    asked.get(asked.size() - 1).complete(this::taken);
    assertEquals(BYTES, again.join().countBytes());
    assertEquals(0, held.get());
  }
}
