package org.weft.simulator.gateway;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.weft.client.ids.Answers;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.CreateWish;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeChange;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.TimeWish;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.FileReply;
import org.weft.nfs.files.Stability;
import org.weft.protocol.rpc.Payload;
import org.weft.simulator.check.Seen;
import org.weft.simulator.model.Fill;
import org.weft.simulator.model.NameOperation;
import org.weft.simulator.workload.Histories;
import org.weft.testkit.names.NameKind;

/**
 * A host with one file on a hard mount. It writes pages, reads them back, commits, compares and
 * truncates. It knows each byte that must be there. A page is forgotten once a COMMIT had the
 * verifier of its WRITE; until then it is sent again.
 */
final class PageHost {
  private static final int PAGES = 14;

  /** No multiple of any block or unit. */
  private static final int PAGE_BYTES = 2_700;

  private static final int MAX_AT_ONCE = 6;
  private static final int WRITES_OF_HOST = 1_000_000;

  /** A piece of the file. */
  private static final class Page {
    final int offset;
    boolean isDirty;

    /** The verifier of the last WRITE, if that was UNSTABLE. */
    OptionalLong verifier = OptionalLong.empty();

    /** What was read back in place of it, while its verifier stood. */
    String stale = "";

    Page(int number) {
      offset = number * PAGE_BYTES;
    }
  }

  private final PageScene scene;
  private final int number;
  private final InetAddress address;
  private final PageScene.Place place = new PageScene.Place();
  private final List<Page> pages = new ArrayList<>();
  private final byte[] wanted = new byte[PAGES * PAGE_BYTES];
  private int size;
  private int writes;

  /** How often bytes or the length have changed. */
  private int changes;

  private ToldTimes told = ToldTimes.NONE;
  private int calls;
  private NodeId file;
  private String state = "its beginning";
  private boolean removing;
  private boolean abandoned;
  private boolean finished;

  PageHost(PageScene scene, int number, InetAddress address) {
    this.scene = scene;
    this.number = number;
    this.address = address;
    for (int page = 0; page < PAGES; page++) {
      pages.add(new Page(page));
    }
  }

  String name() {
    return "host-" + number;
  }

  InetAddress address() {
    return address;
  }

  PageScene.Place place() {
    return place;
  }

  int nextNumber() {
    return ++calls;
  }

  /** Its calls matter no more. */
  boolean isAbandoned() {
    return abandoned;
  }

  boolean isFinished() {
    return finished;
  }

  String state() {
    return state;
  }

  private RandomGenerator random() {
    return scene.random();
  }

  private String path() {
    return "/pages-" + number;
  }

  private FileName fileName() {
    return new FileName("pages-" + number);
  }

  private void state(String now) {
    state = now;
    scene.note(name(), now);
  }

  /** What follows once something is done; what fails was found already. */
  private static <T> void then(CompletableFuture<T> done, java.util.function.Consumer<T> next) {
    var unused = done.thenAccept(next);
  }

  // Its life.

  void start() {
    state("CREATE");
    Histories histories = scene.histories();
    NameOperation operation = new NameOperation.Create(path(), false);
    int asked = histories.names().asked(name(), histories.moment(), operation);
    then(
        scene.<Answers.Made>ask(
            this,
            by ->
                files ->
                    files.create(
                        by,
                        scene.directory(),
                        fileName(),
                        new CreateWish.Guarded(AttributesWish.NOTHING))),
        made -> {
          file = made.node().id();
          Seen told = Seen.object(file.object().value(), Optional.of(NameKind.FILE));
          histories.names().done(asked, histories.moment(), told);
          // A listing of the directory tells its length, which only this host knows.
          long moment = histories.moment();
          var unused =
              histories.file(file.object().value()).shared(name(), true, moment, moment, 0);
          round();
        });
  }

  private void again() {
    scene.later(random().nextInt(6) == 0 ? scene.seconds(1, 6) : scene.millis(5, 400), this::round);
  }

  private void round() {
    if (scene.isOver()) {
      finish();
      return;
    }
    change();
    then(
        flush(),
        flushed -> {
          if (random().nextInt(3) == 0) {
            then(readBack(), read -> afterWrites());
          } else {
            afterWrites();
          }
        });
  }

  private void afterWrites() {
    if (random().nextInt(3) == 0) {
      // It goes on writing before what it wrote is durable.
      again();
      return;
    }
    then(
        commit(),
        committed -> {
          boolean cuts = random().nextInt(8) == 0;
          then(
              cuts ? cut() : CompletableFuture.completedFuture(null),
              done -> then(verify(random().nextInt(3) == 0), compared -> again()));
        });
  }

  /** Programs write to some pages, or one writes the whole file. */
  private void change() {
    if (random().nextInt(4) == 0) {
      pages.forEach(this::change);
      return;
    }
    for (int left = 1 + random().nextInt(MAX_AT_ONCE); left > 0; left--) {
      change(pages.get(random().nextInt(PAGES)));
    }
  }

  private void change(Page page) {
    int write = number * WRITES_OF_HOST + ++writes;
    for (int at = page.offset; at < page.offset + PAGE_BYTES; at++) {
      wanted[at] = Fill.at(write, at);
    }
    size = Math.max(size, page.offset + PAGE_BYTES);
    page.isDirty = true;
    page.verifier = OptionalLong.empty();
    page.stale = "";
    changes++;
  }

  /** Sends what is dirty, several calls at once; pages beside each other mostly go in one. */
  private CompletableFuture<Void> flush() {
    state("WRITE");
    List<CompletableFuture<Void>> sent = new ArrayList<>();
    List<Page> run = new ArrayList<>();
    for (Page page : pages) {
      boolean ends = !page.isDirty || random().nextInt(6) == 0;
      if (ends && !run.isEmpty()) {
        sent.add(send(List.copyOf(run)));
        run.clear();
      }
      if (page.isDirty) {
        run.add(page);
      }
    }
    if (!run.isEmpty()) {
      sent.add(send(List.copyOf(run)));
    }
    return CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new));
  }

  private CompletableFuture<Void> send(List<Page> run) {
    Stability stability =
        switch (random().nextInt(8)) {
          case 0 -> Stability.FILE;
          case 1 -> Stability.DATA;
          default -> Stability.UNSTABLE;
        };
    int from = run.get(0).offset;
    byte[] bytes = Arrays.copyOfRange(wanted, from, from + run.size() * PAGE_BYTES);
    return scene
        .<FileReply.Written>ask(
            this, by -> files -> files.write(by, file, from, arrived(bytes.clone()), stability))
        .thenAccept(written -> written(run, stability, written));
  }

  /** In memory that others get once it was released. */
  private static Payload arrived(byte[] bytes) {
    return Payload.of(
        List.of(ByteBuffer.wrap(bytes).asReadOnlyBuffer()), () -> Arrays.fill(bytes, (byte) -1));
  }

  private void written(List<Page> run, Stability asked, FileReply.Written written) {
    boolean lessThanAsked = written.stability().compareTo(asked) < 0;
    if (written.countBytes() != run.size() * PAGE_BYTES || lessThanAsked) {
      scene.found("a write was not done as asked", name() + ": " + asked + ", " + written);
    }
    run.forEach(page -> written(page, written));
  }

  private void written(Page page, FileReply.Written written) {
    scene.count("pages written " + written.stability());
    page.isDirty = false;
    page.verifier =
        written.stability() == Stability.UNSTABLE
            ? OptionalLong.of(written.verifier())
            : OptionalLong.empty();
  }

  private boolean isDurable() {
    return pages.stream().noneMatch(page -> page.isDirty || page.verifier.isPresent());
  }

  private CompletableFuture<Void> commit() {
    if (isDurable()) {
      return CompletableFuture.completedFuture(null);
    }
    state("COMMIT");
    return scene
        .<FileReply.Committed>ask(this, by -> files -> files.commit(by, file, 0, 0))
        .thenCompose(
            committed -> {
              scene.count("files committed");
              pages.forEach(page -> committed(page, committed.verifier()));
              return flush();
            })
        .thenCompose(sent -> commit());
  }

  private void committed(Page page, long verifier) {
    if (page.verifier.isEmpty()) {
      return;
    }
    if (page.verifier.getAsLong() == verifier) {
      if (!page.stale.isEmpty()) {
        scene.found("bytes that were answered are not shown", page.stale);
      }
    } else {
      scene.count("pages sent again for their verifier");
      page.isDirty = true;
    }
    page.verifier = OptionalLong.empty();
    page.stale = "";
  }

  /** A host that fills up a page reads it first, and writes what it has read. */
  private CompletableFuture<Void> readBack() {
    Optional<Page> unstable = pages.stream().filter(page -> page.verifier.isPresent()).findFirst();
    if (unstable.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    Page page = unstable.get();
    int moves = place.moves();
    state("READ before COMMIT");
    return scene
        .<Answers.BytesRead>ask(this, by -> files -> files.read(by, file, page.offset, PAGE_BYTES))
        .thenAccept(
            read -> {
              String difference = difference(page.offset, bytes(read));
              // What one gateway has in memory another one need not show.
              if (!difference.isEmpty() && place.moves() == moves) {
                page.stale = difference;
              }
            });
  }

  private static byte[] bytes(Answers.BytesRead read) {
    ByteBuffer all = ByteBuffer.allocate(read.bytes().lengthBytes());
    read.bytes().buffers().forEach(each -> all.put(each.duplicate()));
    read.bytes().release();
    return all.array();
  }

  /** Empty if all that was read is what must be there. */
  private String difference(int offset, byte[] found) {
    byte[] there = Arrays.copyOfRange(wanted, offset, Math.min(size, offset + found.length));
    int wrong = Arrays.mismatch(found, there);
    if (wrong < 0) {
      return "";
    }
    String writers =
        wrong >= found.length
            ? "nothing"
            : "bytes of writes "
                + Fill.writersOf(
                    found, wrong, offset + wrong, number * WRITES_OF_HOST + writes + 1);
    return "%s of %s at %d, %d bytes long: %s in place of what it wrote"
        .formatted(path(), name(), offset + wrong, size, writers);
  }

  /** Sets the length; all that was written is durable. */
  private CompletableFuture<Void> cut() {
    int next = random().nextInt(wanted.length);
    state("SETATTR of the length " + next);
    AttributesWish change =
        new AttributesWish(
            java.util.OptionalInt.empty(),
            Optional.empty(),
            Optional.empty(),
            OptionalLong.of(next),
            TimeWish.KEEP,
            TimeWish.KEEP);
    return scene
        .<NodeChange>ask(
            this, by -> files -> files.setAttributes(by, file, change, OptionalLong.empty()))
        .thenAccept(
            done -> {
              scene.count("lengths set");
              if (next < size) {
                Arrays.fill(wanted, next, size, (byte) 0);
              }
              size = next;
              changes++;
            });
  }

  /**
   * Reads all of the file, which is durable, and compares.
   *
   * @param elsewhere through another gateway, if one serves
   */
  private CompletableFuture<Void> verify(boolean elsewhere) {
    state("READ");
    if (elsewhere) {
      Optional<CompletableFuture<Answers.BytesRead>> other =
          scene.askAnother(this, by -> files -> files.read(by, file, 0, wanted.length));
      // Nothing waits for it: that gateway may die, or have no time.
      byte[] now = Arrays.copyOf(wanted, size);
      int written = writes;
      other.ifPresent(
          read ->
              then(
                  read,
                  answer -> {
                    byte[] found = bytes(answer);
                    if (written == writes && size == now.length) {
                      compared(found, " through another gateway");
                      compareTimes(answer.node());
                    }
                  }));
    }
    return scene
        .<Answers.BytesRead>ask(this, by -> files -> files.read(by, file, 0, wanted.length))
        .thenAccept(
            read -> {
              long told = read.node().sizeBytes();
              if (told != size) {
                scene.found(
                    "a length that the file cannot have",
                    "%s of %s is %d bytes long, and %d are told"
                        .formatted(path(), name(), size, told));
              }
              compared(bytes(read), "");
              compareTimes(read.node());
            });
  }

  /** A client that has the file in memory must see by its times that it was written since. */
  private void compareTimes(NodeAttributes node) {
    ToldTimes now = new ToldTimes(changes, node.mtimeNanos(), node.ctimeNanos());
    if (told.isOfOtherContent(now)) {
      scene.count("changes told by times");
      if (!told.tells(now)) {
        scene.found("a change that no time tells", path() + ": " + told + ", then " + now);
      }
    }
    told = now;
  }

  private void compared(byte[] found, String how) {
    scene.count("files compared" + how);
    String difference = found.length == size ? difference(0, found) : "length " + found.length;
    if (!difference.isEmpty()) {
      scene.found("bytes that were committed are gone", difference + how);
    }
  }

  // Its end.

  /** The last check: everything is durable and right, and the file goes. */
  private void finish() {
    if (scene.isExcused()) {
      remove();
      return;
    }
    then(commit(), committed -> then(verify(false), compared -> remove()));
  }

  /** Calls for bytes that are gone wait for ever. */
  void abandonIfExcused() {
    if (!finished && file != null && scene.isExcused()) {
      remove();
    }
  }

  private void remove() {
    if (removing) {
      return;
    }
    removing = true;
    state("REMOVE");
    Histories histories = scene.histories();
    NameOperation operation = new NameOperation.Unlink(path());
    int asked = histories.names().asked(name(), histories.moment(), operation);
    then(
        scene.<Answers.Removed>ask(
            this, by -> files -> files.remove(by, scene.directory(), fileName())),
        removed -> {
          histories.names().done(asked, histories.moment(), Seen.nothing());
          state("nothing");
          finished = true;
          abandoned = true;
        });
  }
}
