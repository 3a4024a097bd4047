package org.weft.it.nfs;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.weft.client.ids.Answers;
import org.weft.client.ids.NodeAttributes;
import org.weft.nfs.files.FileReply;
import org.weft.nfs.files.FileService;
import org.weft.nfs.model.ModelFileService;
import org.weft.nfs.model.ModelGateway;
import org.weft.protocol.rpc.Payload;

/**
 * The programs of {@code it/nfs-kills} on a model. They report nothing wrong while nothing is,
 * though the model loses unsynced bytes. Each of them notices what it is there to notice.
 */
class LoadsTest {
  private static final int ROUNDS = 120;

  private final ModelFileService files = new ModelFileService();
  private final Findings findings = new Findings(event -> {});
  private final ExecutorService calls = Executors.newFixedThreadPool(8);
  private ModelGateway gateway;
  private HardMount mount;

  /** What a mistake of a gateway makes of an answer. */
  @FunctionalInterface
  private interface Mistake {
    Object answer(Method method, Object[] arguments, Object answer) throws Exception;
  }

  private void start(Mistake mistake) {
    FileService served =
        (FileService)
            Proxy.newProxyInstance(
                FileService.class.getClassLoader(),
                new Class<?>[] {FileService.class},
                (proxy, method, arguments) -> {
                  try {
                    return mistake.answer(method, arguments, method.invoke(files, arguments));
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    gateway = new ModelGateway(served, files.root());
    mount = new HardMount("test", List.of(gateway.address()), "/", 1, findings);
  }

  @AfterEach
  void stop() {
    if (mount != null) {
      mount.close();
      gateway.close();
    }
    calls.shutdownNow();
  }

  private PageCacheFile file() throws ProgramError {
    return new PageCacheFile("file", mount, mount, mount.root(), calls, findings, 1);
  }

  private NameLoad names(String name) throws ProgramError {
    return new NameLoad(name, mount, mount, mount.root(), findings, 1);
  }

  private static void rounds(MountProgram load) throws ProgramError {
    for (int i = 0; i < ROUNDS; i++) {
      load.round();
    }
    load.finish();
  }

  @Test
  void bytesLostByTheServerAreSentAgain() throws Exception {
    start((method, arguments, answer) -> answer);
    PageCacheFile file = file();
    for (int i = 0; i < ROUNDS; i++) {
      file.round();
      files.crash();
    }
    file.finish();
    assertTrue(findings.counts().get("writes sent again for their verifier") > 0);
  }

  @Test
  void namesOfASoundServerAreRight() throws Exception {
    start((method, arguments, answer) -> answer);
    NameLoad names = names("tree");
    assertDoesNotThrow(() -> rounds(names));
  }

  /** RFC 1813 3.3.21: then the client forgets bytes that the server lost. */
  @Test
  @SuppressWarnings("unchecked")
  void aVerifierThatStaysIsNoticed() throws Exception {
    start(
        (method, arguments, answer) ->
            switch (method.getName()) {
              case "write" ->
                  ((CompletionStage<FileReply.Written>) answer)
                      .thenApply(
                          written ->
                              new FileReply.Written(
                                  written.countBytes(), written.stability(), 7, written.node()));
              case "commit" ->
                  ((CompletionStage<FileReply.Committed>) answer)
                      .thenApply(committed -> new FileReply.Committed(7, committed.node()));
              default -> answer;
            });
    PageCacheFile file = file();
    ProgramError error =
        assertThrows(
            ProgramError.class,
            () -> {
              for (int i = 0; i < ROUNDS; i++) {
                file.round();
                files.crash();
              }
              file.finish();
            });
    assertTrue(error.getMessage().startsWith("file"), error::getMessage);
  }

  /** As when a repeat is carried out again: the second time the name is gone, or there. */
  @Test
  void aChangeThatIsDoneTwiceIsNoticed() throws Exception {
    for (String twice : List.of("remove", "make", "rename")) {
      start(
          (method, arguments, answer) ->
              method.getName().equals(twice) ? method.invoke(files, arguments) : answer);
      ProgramError error =
          assertThrows(ProgramError.class, () -> rounds(names("tree-" + twice)), twice);
      assertTrue(error.getMessage().contains("status"), error::getMessage);
      mount.close();
      gateway.close();
    }
  }

  /** A kernel that fills up a page would write the old bytes back. */
  @Test
  @SuppressWarnings("unchecked")
  void aReadThatDoesNotShowBytesInMemoryIsNoticed() throws Exception {
    AtomicBoolean inMemory = new AtomicBoolean();
    start(
        (method, arguments, answer) -> {
          switch (method.getName()) {
            case "write" -> inMemory.set(true);
            case "commit" -> inMemory.set(false);
            default -> {}
          }
          return method.getName().equals("read") && inMemory.get()
              ? ((CompletionStage<Answers.BytesRead>) answer).thenApply(LoadsTest::zeros)
              : answer;
        });
    PageCacheFile file = file();
    ProgramError error = assertThrows(ProgramError.class, () -> rounds(file));
    assertTrue(error.getMessage().startsWith("before COMMIT"), error::getMessage);
  }

  private static Answers.BytesRead zeros(Answers.BytesRead read) {
    ByteBuffer none = ByteBuffer.allocate(read.bytes().lengthBytes());
    read.bytes().release();
    return new Answers.BytesRead(Payload.of(List.of(none), () -> {}), read.atEnd(), read.node());
  }

  private static NodeAttributes ofOneTime(NodeAttributes node) {
    return new NodeAttributes(
        node.id(),
        node.type(),
        node.mode(),
        node.links(),
        node.owner(),
        node.group(),
        node.sizeBytes(),
        node.usedBytes(),
        node.rdevMajor(),
        node.rdevMinor(),
        node.atimeNanos(),
        1,
        1,
        1,
        node.cuts(),
        node.symlinkTarget());
  }

  /** Kernels would keep the pages that they have. */
  @Test
  @SuppressWarnings("unchecked")
  void aTimeOfTheLastChangeThatStaysIsNoticed() throws Exception {
    start(
        (method, arguments, answer) ->
            method.getName().equals("attributes")
                ? ((CompletionStage<NodeAttributes>) answer).thenApply(LoadsTest::ofOneTime)
                : answer);
    PageCacheFile file = file();
    ProgramError error = assertThrows(ProgramError.class, () -> rounds(file));
    assertTrue(error.getMessage().contains("ctime"), error::getMessage);
  }

  @Test
  void aLockThatTwoHaveIsNoticed() throws Exception {
    LockedCells cells = new LockedCells(() -> 0);
    cells.take(1, "one");
    cells.take(2, "two");
    assertThrows(ProgramError.class, () -> cells.take(1, "two"));
    cells.leave(1, 5, "one");
    cells.take(1, "two");
    cells.check(1, 5, "two");
    assertThrows(ProgramError.class, () -> cells.check(1, 4, "two"));
    assertThrows(ProgramError.class, () -> cells.lapse(1, "two", "DENIED"));
  }

  @Test
  void aLockThatIsNeverFreedIsNoticed() throws Exception {
    AtomicLong clock = new AtomicLong();
    LockedCells cells = new LockedCells(clock::get);
    cells.take(1, "one");
    cells.leave(1, 5, "one");
    cells.asks(1);
    cells.denied(1, "two");
    clock.set(TimeUnit.SECONDS.toNanos(119));
    assertDoesNotThrow(() -> cells.denied(1, "two"));
    clock.set(TimeUnit.SECONDS.toNanos(121));
    cells.asks(1);
    assertDoesNotThrow(() -> cells.denied(1, "two"), "another one may have been granted it");
    cells.answered(1);
    assertThrows(ProgramError.class, () -> cells.denied(1, "two"));
    cells.take(1, "three");
    assertDoesNotThrow(() -> cells.denied(1, "two"));
  }

  @Test
  void aLockMayLapseWhileItsGatewayIsAwayForLonger() throws Exception {
    AtomicLong clock = new AtomicLong();
    LockedCells cells = new LockedCells(clock::get);
    cells.take(1, "one");
    clock.set(TimeUnit.SECONDS.toNanos(41));
    cells.take(1, "two");
    cells.leave(1, 5, "one");
    assertThrows(ProgramError.class, () -> cells.take(1, "one"));
    clock.set(TimeUnit.SECONDS.toNanos(90));
    assertDoesNotThrow(() -> cells.lapse(1, "two", "DENIED"));
  }
}
