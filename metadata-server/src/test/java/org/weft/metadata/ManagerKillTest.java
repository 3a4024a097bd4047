package org.weft.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.client.volume.SessionGrant;
import org.weft.client.volume.SessionReply;
import org.weft.client.volume.VolumeCalls;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.DirectoryEntry;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.FileKind;
import org.weft.protocol.wire.OpenReply;
import org.weft.protocol.wire.ReaddirReply;

/**
 * A manager that is killed at random instants while clients ask it for changes, over and over.
 * Every request of a client library must have been executed exactly once, whatever the kills hit.
 * An acknowledged change stays, and a refused one never happened (rules 1 and 6; P 6.1, 6.3, 6.4).
 */
class ManagerKillTest {
  private static final int OPERATIONS = Integer.getInteger("weft.kill.operations", 120);
  private static final List<String> NAMES = List.of("a", "b", "c");

  @TempDir Path folder;

  private ManagerWorld world;
  private VolumeCalls client;
  private SplittableRandom random;
  private int kills;

  /** Paths and what is there: -1 for a directory, else a file's length. */
  private final TreeMap<String, Long> model = new TreeMap<>();

  static LongStream seeds() {
    return LongStream.range(0, Long.getLong("weft.kill.seeds", 8));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void everyRequestIsCarriedOutExactlyOnce(long seed) {
    random = new SplittableRandom(seed);
    world = new ManagerWorld(seed, 4, folder);
    world.start();
    client = world.superuser();
    for (int step = 0; step < OPERATIONS; step++) {
      if (random.nextInt(3) == 0) {
        killSoon();
      }
      if (random.nextInt(25) == 0) {
        bounceAnOsd();
      }
      step();
    }
    // The last kill may still be to come.
    world.pass(3_000);
    world.awaitServing();
    assertEquals(model, namespace());
    world.stop();
    world.start();
    assertEquals(model, namespace());
    world.kill();
  }

  private void killSoon() {
    kills++;
    long killMicros = random.nextLong(random.nextBoolean() ? 10_000 : 450_000);
    long pauseMillis = random.nextLong(1_500);
    world.time.after(
        TimeUnit.MICROSECONDS.toNanos(killMicros),
        () -> {
          if (world.isRunning()) {
            world.kill();
            world.time.after(TimeUnit.MILLISECONDS.toNanos(pauseMillis), world::launch);
          }
        });
  }

  private void bounceAnOsd() {
    int osd = 1 + random.nextInt(4);
    world.osds.get(osd - 1).stop();
    world.time.after(
        TimeUnit.MILLISECONDS.toNanos(random.nextLong(800)),
        () -> {
          var unused = world.startOsdAgain(osd);
        });
  }

  private void step() {
    String path = path();
    switch (random.nextInt(13)) {
      case 0, 1, 2 -> createAndClose(path);
      case 3, 4 -> expect(modelMkdir(path), client.mkdir(path, 0755, 0, false));
      case 5 -> expect(modelRemove(path, false), client.unlink(path));
      case 6 -> expect(modelRemove(path, true), client.rmdir(path));
      case 7, 8 -> {
        String target = path();
        expect(modelRename(path, target), client.rename(path, target, true));
      }
      case 9, 10, 11 -> updateAndClose(path);
      default -> {
        int mode = 0700 + random.nextInt(0100);
        ErrorCode expected = missing(path);
        expect(
            expected,
            client.setAttributes(
                path,
                new VolumeCalls.Changes(
                    OptionalInt.of(mode),
                    Optional.empty(),
                    Optional.empty(),
                    OptionalLong.empty(),
                    OptionalLong.empty())));
        if (expected == null) {
          assertEquals(mode, await(client.attributes(path)).getMode());
        }
      }
    }
  }

  private void createAndClose(String path) {
    ErrorCode expected = unplaceable(path);
    if (expected == null && model.containsKey(path)) {
      expected = model.get(path) < 0 ? ErrorCode.IS_DIRECTORY : null;
    }
    CompletableFuture<SessionReply<CreateReply>> created =
        client.create(path, new VolumeCalls.Creation(0644, 0, true, false, Optional.empty()));
    expect(expected, created);
    if (expected == null) {
      long size = random.nextLong(1_000_000);
      SessionReply<CreateReply> answer = created.join();
      expect(
          null,
          client.close(
              new SessionGrant(
                  path,
                  answer.sessionId(),
                  answer.body().getAttributes().getObjectId(),
                  answer.body().getGrant().getNumber()),
              size,
              0,
              false));
      model.put(path, size);
    }
  }

  /** Opens a file again, publishes more or cuts it, and closes it. */
  private void updateAndClose(String path) {
    ErrorCode expected = missing(path);
    if (expected == null && (path.isEmpty() || model.get(path) < 0)) {
      expected = ErrorCode.IS_DIRECTORY;
    }
    CompletableFuture<SessionReply<OpenReply>> opening = client.openForWriting(path);
    expect(expected, opening);
    if (expected != null) {
      return;
    }
    SessionReply<OpenReply> open = opening.join();
    FileAttributes file = open.body().getAttributes();
    long number = open.body().getGrant().getNumber();
    SessionGrant held = new SessionGrant(path, open.sessionId(), file.getObjectId(), number);
    assertEquals(model.get(path), file.getSize());
    // Nothing is written here, so that a file can only be recovered with nothing in it.
    boolean emptied = random.nextInt(4) == 0;
    long size = emptied ? 0 : random.nextLong(1_000_000);
    if (size > file.getSize()) {
      await(client.grants().publish(held, size, 1));
    } else if (size < file.getSize()) {
      FileAttributes cut = await(client.grants().setLength(held, size, 1));
      assertEquals(file.getTruncationNumber() + 1, cut.getTruncationNumber(), "cut once");
      assertEquals(size, cut.getTrim());
      assertFalse(await(client.grants().trimmed(held, cut.getTruncationNumber(), 1)).getHasTrim());
    }
    assertEquals(size, await(client.attributes(path)).getSize());
    if (emptied) {
      var unused = await(client.grants().recoverLease(path));
      expect(ErrorCode.GRANT_REVOKED, client.grants().publish(held, size + 1, 1));
      world.time.runUntil(
          "it is recovered", () -> await(client.grants().recoverLease(path)).getClosed());
    } else {
      expect(null, client.close(held, size, 1, false));
    }
    model.put(path, size);
  }

  private ErrorCode modelMkdir(String path) {
    ErrorCode refusal = unplaceable(path);
    if (refusal == null && model.containsKey(path)) {
      refusal = ErrorCode.EXISTS;
    }
    if (refusal == null) {
      model.put(path, -1L);
    }
    return refusal;
  }

  private ErrorCode modelRemove(String path, boolean directory) {
    ErrorCode refusal = missing(path);
    if (refusal == null && model.get(path) < 0 != directory) {
      refusal = directory ? ErrorCode.NOT_DIRECTORY : ErrorCode.IS_DIRECTORY;
    }
    if (refusal == null && !below(path).isEmpty()) {
      refusal = ErrorCode.NOT_EMPTY;
    }
    if (refusal == null) {
      model.remove(path);
    }
    return refusal;
  }

  private ErrorCode modelRename(String source, String target) {
    ErrorCode refusal = missing(source);
    if (refusal != null) {
      return refusal;
    }
    refusal = unplaceable(target);
    if (refusal != null || source.equals(target)) {
      return refusal;
    }
    boolean directory = model.get(source) < 0;
    if (directory && target.startsWith(source + "/")) {
      return ErrorCode.INVALID_ARGUMENT;
    }
    Long existing = model.get(target);
    if (existing != null && existing < 0 && !directory) {
      return ErrorCode.IS_DIRECTORY;
    }
    if (existing != null && existing >= 0 && directory) {
      return ErrorCode.NOT_DIRECTORY;
    }
    if (existing != null && !below(target).isEmpty()) {
      return ErrorCode.NOT_EMPTY;
    }
    Map<String, Long> moved = new TreeMap<>(below(source));
    moved.keySet().forEach(model::remove);
    long what = model.remove(source);
    model.put(target, what);
    moved.forEach((path, value) -> model.put(target + path.substring(source.length()), value));
    return null;
  }

  /** The error of walking to the path; null if it is there. */
  private ErrorCode missing(String path) {
    if (path.isEmpty()) {
      return null;
    }
    ErrorCode above = unplaceable(path);
    if (above != null) {
      return above;
    }
    return model.containsKey(path) ? null : ErrorCode.NOT_FOUND;
  }

  /** The error of walking to the directory in which the path's last name would stand. */
  private ErrorCode unplaceable(String path) {
    String parent = parent(path);
    ErrorCode above = missing(parent);
    if (above == null && !parent.isEmpty() && model.get(parent) >= 0) {
      return ErrorCode.NOT_DIRECTORY;
    }
    return above;
  }

  private Map<String, Long> below(String path) {
    return model.subMap(path + "/", path + "0");
  }

  private static String parent(String path) {
    return path.substring(0, path.lastIndexOf('/'));
  }

  private String path() {
    StringBuilder path = new StringBuilder();
    int depth = 1 + random.nextInt(3);
    for (int level = 0; level < depth; level++) {
      path.append('/').append(NAMES.get(random.nextInt(NAMES.size())));
    }
    return path.toString();
  }

  private void expect(ErrorCode expected, CompletableFuture<?> call) {
    ErrorCode actual = null;
    String message = "";
    try {
      var unused = world.time.await(call);
    } catch (CompletionException e) {
      WeftException refusal = WeftException.of(e);
      actual = refusal.code();
      message = refusal.getMessage();
    }
    assertEquals(expected, actual, message + " after " + kills + " kills; " + model);
  }

  private <T> T await(CompletableFuture<T> call) {
    return world.time.await(call);
  }

  private TreeMap<String, Long> namespace() {
    TreeMap<String, Long> found = new TreeMap<>();
    list("/", found);
    return found;
  }

  private void list(String path, Map<String, Long> found) {
    List<DirectoryEntry> entries = new ArrayList<>();
    ReaddirReply page = await(client.readdir(path, 0, 2, true));
    entries.addAll(page.getEntriesList());
    while (!page.getEnd()) {
      page = await(client.readdir(path, entries.get(entries.size() - 1).getCookie(), 2, true));
      entries.addAll(page.getEntriesList());
    }
    for (DirectoryEntry entry : entries) {
      String child = (path.equals("/") ? "" : path) + "/" + entry.getName();
      boolean directory = entry.getKind() == FileKind.DIRECTORY;
      found.put(child, directory ? -1L : entry.getAttributes().getSize());
      if (directory) {
        list(child, found);
      }
    }
  }
}
