package org.weft.simulator.workload;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.weft.client.AclStatus;
import org.weft.client.CreateOptions;
import org.weft.client.FileStatus;
import org.weft.client.LayoutSpec;
import org.weft.client.UpdateOptions;
import org.weft.client.WeftFile;
import org.weft.client.WeftOutput;
import org.weft.client.WeftPath;
import org.weft.client.XattrMode;
import org.weft.protocol.acl.AclChange;
import org.weft.protocol.acl.AclEntry;
import org.weft.protocol.acl.AclType;
import org.weft.protocol.error.WeftException;
import org.weft.simulator.check.Seen;
import org.weft.simulator.model.NameOperation;
import org.weft.testkit.names.NameKind;

/** What a hand does with names. */
public final class NameTurns {
  private static final int MODE = 0777;
  private static final String XATTR = "user.x";
  private static final String ACL_USER = "reader";

  private final ClientThread hand;

  NameTurns(ClientThread hand) {
    this.hand = hand;
  }

  private RandomGenerator random() {
    return hand.random();
  }

  private Paths paths() {
    return hand.workload().paths();
  }

  void turn() {
    int kind = random().nextInt(100);
    if (kind < 16) {
      mkdir(paths().any(random()));
    } else if (kind < 24) {
      rmdir(paths().directory(random()));
    } else if (kind < 40) {
      rename(paths().existing(random()), paths().any(random()));
    } else if (kind < 50) {
      unlink(paths().existing(random()));
    } else if (kind < 58) {
      link(paths().file(random()), paths().any(random()));
    } else if (kind < 63 && hand.workload().geometry().secondVolume()) {
      renameAway(paths().existing(random()));
    } else if (kind < 63) {
      symlink(paths().any(random()));
    } else if (kind < 70) {
      setXattr(paths().existing(random()));
    } else if (kind < 75) {
      setLayout(paths().directory(random()));
    } else if (kind < 87) {
      look(paths().existing(random()));
    } else if (kind < 92) {
      if (random().nextInt(3) == 0) {
        lookAtAcl(paths().existing(random()));
      } else {
        lookAtAttributes(paths().existing(random()));
      }
    } else {
      list(paths().directory(random()));
    }
  }

  /**
   * All clients look at a path or its directory, one client changes it, and all look again as soon
   * as that is done. An answer from a cache must be what is there now.
   */
  void cachedTurn() {
    String path = random().nextBoolean() ? paths().existing(random()) : paths().any(random());
    hand.workload().point(path);
    hand.afterwards(() -> change(path));
    hand.afterwards(
        () -> {
          hand.workload().point(path);
          lookAgain(path);
        });
    if (random().nextInt(8) == 0) {
      // So that something may go wrong meanwhile, and leases end.
      hand.afterwards(hand::rest);
    }
    hand.hurry();
    lookAgain(path);
  }

  private void change(String path) {
    int kind = random().nextInt(100);
    if (kind < 25) {
      unlink(path);
    } else if (kind < 45) {
      mkdir(path);
    } else if (kind < 60) {
      rename(path, paths().any(random()));
    } else if (kind < 70) {
      rename(paths().existing(random()), path);
    } else if (kind < 80) {
      link(paths().file(random()), path);
    } else if (kind < 90 || hand.workload().geometry().secondVolume()) {
      rmdir(path);
    } else {
      symlink(path);
    }
  }

  /** What others look at as well. */
  void lookAgain(String path) {
    if (random().nextInt(4) == 0 && !path.equals("/")) {
      int slash = path.lastIndexOf('/');
      list(slash <= 0 ? "/" : path.substring(0, slash));
    } else {
      look(path);
    }
  }

  /** A file that all clients are drawn to is replaced now and then. */
  void hotTurn() {
    int kind = random().nextInt(100);
    if (kind < 25) {
      unlink(paths().existing(random()));
    } else if (kind < 40) {
      rename(paths().existing(random()), paths().any(random()));
    } else if (kind < 85) {
      look(paths().existing(random()));
    } else {
      list(paths().directory(random()));
    }
  }

  /** Asks for something to do with names. */
  <T> void ask(
      NameOperation operation,
      Supplier<CompletableFuture<T>> call,
      Function<T, Seen> seen,
      Consumer<T> then) {
    Histories histories = hand.histories();
    int asked = histories.names().asked(hand.name(), histories.moment(), operation);
    hand.ask(
        "#" + asked + " " + operation,
        call,
        new CallAnswer<T>() {
          @Override
          public void done(T value) {
            Seen told = seen.apply(value);
            histories.note(hand.name(), () -> "#" + asked + " -> " + told);
            histories.names().done(asked, histories.moment(), told);
            paths().done(operation, told.objectId());
            then.accept(value);
          }

          @Override
          public void failed(WeftException failure) {
            switch (Errors.of(failure.code())) {
              case REFUSED -> histories.names().refused(asked, histories.moment(), failure.code());
              case IN_THE_WAY -> histories.names().withdrawn(asked);
              default -> {}
            }
          }
        });
  }

  private WeftPath at(String path) {
    return hand.workload().at(path);
  }

  private void changed(NameOperation operation, Supplier<CompletableFuture<Void>> call) {
    ask(operation, call, nothing -> Seen.nothing(), nothing -> {});
  }

  /** What an answer says of a node; the length is another history. */
  private void status(NameOperation operation, Supplier<CompletableFuture<FileStatus>> call) {
    long start = hand.histories().moment();
    ask(operation, call, NameTurns::seen, found -> told(start, found));
  }

  private void told(long start, FileStatus found) {
    if (found.isFile()) {
      Histories histories = hand.histories();
      histories
          .file(found.objectId())
          .told(hand.name(), start, histories.moment(), found.sizeBytes());
    }
  }

  public static Seen seen(FileStatus found) {
    return new Seen(
        found.objectId(),
        Optional.of(kind(found)),
        found.isDirectory() ? OptionalInt.empty() : OptionalInt.of(found.links()),
        found.isDirectory() ? OptionalLong.of(found.entries()) : OptionalLong.empty(),
        found.symlinkTarget(),
        found.isDirectory()
            ? Optional.of(found.defaultLayout().map(LayoutSpec::toString).orElse(""))
            : Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private static NameKind kind(FileStatus found) {
    return switch (found.type()) {
      case FILE -> NameKind.FILE;
      case DIRECTORY -> NameKind.DIRECTORY;
      case SYMLINK -> NameKind.SYMLINK;
      case SPECIAL -> throw new AssertionError("no client makes special files: " + found);
    };
  }

  private void mkdir(String path) {
    status(new NameOperation.Mkdir(path), () -> hand.files().mkdir(at(path), MODE));
  }

  private void rmdir(String path) {
    if (path.equals("/")) {
      look(path);
    } else {
      changed(new NameOperation.Rmdir(path), () -> hand.files().rmdir(at(path)));
    }
  }

  private void rename(String source, String target) {
    boolean replace = random().nextBoolean();
    changed(
        new NameOperation.Rename(source, target, replace),
        () -> hand.files().rename(at(source), at(target), replace));
  }

  void unlink(String path) {
    changed(new NameOperation.Unlink(path), () -> hand.files().unlink(at(path)));
  }

  private void link(String existing, String path) {
    if (hand.workload().geometry().has(WorkloadBias.LIMITED)) {
      // One with several names counts where it did first, which cannot be seen in the end.
      rename(existing, path);
      return;
    }
    status(new NameOperation.Link(existing, path), () -> hand.files().link(at(existing), at(path)));
  }

  /** Out of the volume, which nothing can be renamed out of. */
  private void renameAway(String path) {
    String what = "rename of " + path + " to another volume";
    hand.ask(
        what,
        () -> hand.files().rename(at(path), WeftPath.ROOT.resolve("elsewhere"), false),
        new CallAnswer<>() {
          @Override
          public void done(Void nothing) {
            hand.histories().found("a node left its volume", what);
          }

          @Override
          public void failed(WeftException failure) {
            // As it must.
          }
        });
  }

  private void symlink(String path) {
    String target = paths().existing(random());
    status(new NameOperation.Symlink(target, path), () -> hand.files().symlink(target, at(path)));
  }

  private void setXattr(String path) {
    if (random().nextInt(3) == 0) {
      setAcl(path);
    } else if (random().nextInt(4) == 0) {
      changed(
          new NameOperation.SetXattr(path, XATTR, ""),
          () -> hand.files().removeXattr(at(path), XATTR));
    } else {
      String value = "v" + random().nextInt(1000);
      changed(
          new NameOperation.SetXattr(path, XATTR, value),
          () ->
              hand.files()
                  .setXattr(
                      at(path),
                      XATTR,
                      value.getBytes(StandardCharsets.UTF_8),
                      XattrMode.CREATE_OR_REPLACE));
    }
  }

  private void setAcl(String path) {
    int rights = random().nextInt(8);
    AclEntry entry = AclEntry.access(AclType.USER, ACL_USER, rights);
    changed(
        new NameOperation.SetXattr(path, Seen.ACL, AclEntry.rightsText(rights)),
        () -> hand.files().changeAcl(at(path), AclChange.MODIFY, List.of(entry)));
  }

  private void lookAtAcl(String path) {
    ask(
        new NameOperation.Look(path, true),
        () -> hand.files().acl(at(path)),
        NameTurns::acl,
        found -> {});
  }

  private static Seen acl(AclStatus found) {
    String rights =
        found.entries().stream()
            .filter(entry -> entry.name().equals(ACL_USER))
            .map(entry -> AclEntry.rightsText(entry.rights()))
            .findFirst()
            .orElse("");
    return Seen.attributes(new TreeMap<>(Map.of(Seen.ACL, rights)));
  }

  /** Sets the layout of a directory's files to one of the seed's layouts. */
  void setLayout(String path) {
    List<LayoutSpec> layouts = hand.workload().geometry().layouts();
    LayoutSpec layout = layouts.get(random().nextInt(layouts.size()));
    status(
        new NameOperation.SetLayout(path, layout.toString()),
        () -> hand.files().setLayout(at(path), Optional.of(layout)));
  }

  void look(String path) {
    boolean follow = random().nextBoolean();
    status(
        new NameOperation.Look(path, follow),
        () -> follow ? hand.files().attributes(at(path)) : hand.files().linkAttributes(at(path)));
  }

  private void lookAtAttributes(String path) {
    ask(
        new NameOperation.Look(path, true),
        () -> hand.files().xattrs(at(path)),
        NameTurns::xattrs,
        found -> {});
  }

  private static Seen xattrs(SortedMap<String, byte[]> found) {
    SortedMap<String, String> told = new TreeMap<>();
    found.forEach((name, value) -> told.put(name, new String(value, StandardCharsets.UTF_8)));
    return Seen.attributes(told);
  }

  /** One page holds all that a directory of a simulation ever has. */
  void list(String path) {
    ask(
        new NameOperation.Names(path),
        () -> hand.files().list(at(path)).nextPage(),
        page -> listing(page.orElse(List.of())),
        page -> page.orElse(List.of()).forEach(this::listed));
  }

  private void listed(FileStatus found) {
    if (found.isFile()) {
      Histories histories = hand.histories();
      histories.file(found.objectId()).listed(hand.name(), histories.moment(), found.sizeBytes());
    }
  }

  public static Seen listing(List<FileStatus> page) {
    SortedMap<String, Long> entries = new TreeMap<>();
    page.forEach(entry -> entries.put(entry.path().name(), entry.objectId()));
    return Seen.listing(entries);
  }

  /** Makes a file, of the directory's layout or another one, and has it open for writing. */
  void create(String path, boolean overwrite, Consumer<WeftOutput> opened) {
    List<LayoutSpec> layouts = hand.workload().geometry().layouts();
    CreateOptions fresh = overwrite ? CreateOptions.replacing() : CreateOptions.newFile();
    Optional<LayoutSpec> wish =
        random().nextInt(3) != 0
            ? Optional.of(layouts.get(random().nextInt(layouts.size())))
            : Optional.empty();
    CreateOptions options = wish.map(fresh::withLayout).orElse(fresh);
    ask(
        new NameOperation.Create(path, overwrite),
        () -> hand.files().create(at(path), options),
        output -> Seen.object(output.objectId(), Optional.of(NameKind.FILE)),
        opened);
  }

  /** Opens a file to write behind its end. */
  void append(String path, Consumer<WeftOutput> opened) {
    ask(
        new NameOperation.Open(path),
        () -> hand.files().append(at(path)),
        output -> Seen.object(output.objectId(), Optional.of(NameKind.FILE)),
        opened);
  }

  /** Opens a file to write anywhere in it. */
  void update(String path, UpdateOptions options, Consumer<WeftFile> opened) {
    ask(
        new NameOperation.Open(path),
        () -> hand.files().openForUpdate(at(path), options),
        file -> Seen.object(file.objectId(), Optional.of(NameKind.FILE)),
        opened);
  }
}
