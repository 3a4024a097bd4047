package org.weft.it.nfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.ids.TimeWish;
import org.weft.hadoop.WeftFileStatus;
import org.weft.hadoop.WeftHadoopFileSystem;
import org.weft.nfs.cluster.ComparedTree;
import org.weft.nfs.cluster.ComparedTree.Person;
import org.weft.nfs.cluster.RandomProcedures;
import org.weft.nfs.model.ModelAnswer;
import org.weft.nfs.model.ModelPaths;
import org.weft.nfs.model.Nfs3Client;

/**
 * Random calls of Hadoop's {@code FileSystem}, each by any user, on a tree that gateways serve, and
 * beside it on the model. What is done or refused agrees at each call; what was closed, flushed or
 * cut is looked at through the gateways at once.
 */
final class RandomHadoopCalls {
  private static final int MODE_BITS = 01777;
  private static final int MAX_BYTES = 30_000;

  /** What the model may say where Hadoop throws this. */
  private static final Map<Class<? extends IOException>, Set<Integer>> REFUSALS =
      Map.of(
          FileNotFoundException.class,
              Set.of(Nfs3Client.NOENT, Nfs3Client.NOTDIR, Nfs3Client.ISDIR),
          FileAlreadyExistsException.class, Set.of(Nfs3Client.EXIST, Nfs3Client.ISDIR),
          ParentNotDirectoryException.class, Set.of(Nfs3Client.NOTDIR),
          PathIsNotEmptyDirectoryException.class, Set.of(Nfs3Client.NOTEMPTY),
          IOException.class, Set.of(Nfs3Client.INVAL));

  private final ComparedTree tree;
  private final RandomProcedures procedures;
  private final ModelPaths paths;
  private final Random random;
  private final Map<String, WeftHadoopFileSystem> systems;

  /** By the model's ctime, which names a node's state. */
  private final Map<NodeId, TreeMap<Long, Long>> changeNumbers = new HashMap<>();

  /**
   * @param systems one for each user
   */
  RandomHadoopCalls(
      ComparedTree tree, RandomProcedures procedures, Map<String, WeftHadoopFileSystem> systems) {
    this.tree = tree;
    this.procedures = procedures;
    this.paths = tree.paths();
    this.random = tree.random();
    this.systems = systems;
  }

  /** What a call does, beside the model. */
  @FunctionalInterface
  private interface Call<T> {
    T run() throws IOException;
  }

  /** A name in a directory. */
  private record Place(NodeId directory, String name, String path) {}

  void step() throws IOException {
    Person by = tree.anyPerson();
    switch (random.nextInt(18)) {
      case 0, 1, 2 -> create(by);
      case 3, 4, 5 -> append(by);
      case 6, 7 -> read(by);
      case 8, 9 -> rename(by);
      case 10 -> renameOver(by);
      case 11 -> delete(by);
      case 12 -> makeDirectory(by);
      case 13 -> list(by);
      case 14 -> status(by);
      case 15 -> set(by);
      case 16 -> truncate(by);
      default -> link(by);
    }
  }

  private Place anyPlace() {
    NodeId directory = tree.anyDirectory();
    while (tree.model().attributes(tree.root().by(), directory).toCompletableFuture().join().type()
        != NodeType.DIRECTORY) {
      directory = tree.anyDirectory();
    }
    String name = tree.anyName();
    String path = paths.of(directory) + "/" + name;
    // Where a link leads, too.
    paths.find(path).ifPresent(tree::settle);
    tree.settle(directory, name);
    return new Place(directory, name, path);
  }

  private Path hadoop(Place place) {
    return new Path(tree.path() + place.path());
  }

  private WeftHadoopFileSystem system(Person by) {
    return systems.get(by.user());
  }

  private NodeAttributes now(NodeId node) {
    return ModelAnswer.of(tree.model().attributes(tree.root().by(), node)).answer();
  }

  /** Both do it or refuse it; empty if it is refused. */
  private <T> Optional<T> agree(String what, ModelAnswer<?> wanted, Call<T> call)
      throws IOException {
    String operation = what.substring(0, what.indexOf(' '));
    try {
      T seen = call.run();
      assertEquals(Nfs3Client.OK, wanted.status(), () -> what + " is to be refused");
      tree.count(operation, true);
      return Optional.of(seen);
    } catch (UnsupportedOperationException e) {
      assertEquals(Nfs3Client.NOTSUPP, wanted.status(), () -> what + ": " + e);
    } catch (IOException e) {
      // Which of two reasons is told is free.
      boolean denied = e instanceof AccessControlException && wanted.status() != Nfs3Client.OK;
      boolean isSame =
          denied
              || REFUSALS.entrySet().stream()
                  .anyMatch(
                      each ->
                          each.getKey().isInstance(e)
                              && (each.getKey() != IOException.class
                                  || e.getClass() == IOException.class)
                              && each.getValue().contains(wanted.status()));
      if (!isSame) {
        throw new AssertionError(what + ": the model says " + wanted.status() + ", Hadoop " + e, e);
      }
    }
    tree.count(operation, false);
    return Optional.empty();
  }

  private byte[] anyBytes() {
    byte[] bytes = new byte[1 + random.nextInt(MAX_BYTES)];
    random.nextBytes(bytes);
    return bytes;
  }

  private void create(Person by) throws IOException {
    Place place = anyPlace();
    boolean overwrite = random.nextInt(3) > 0;
    int mode = random.nextBoolean() ? 0664 : 0600;
    ModelAnswer<NodeAttributes> wanted = paths.create(by.by(), place.path(), mode, overwrite);
    Optional<FSDataOutputStream> made =
        agree(
            "create of " + place.path() + " by " + by.user() + (overwrite ? ", over" : ""),
            wanted,
            () -> {
              FsPermission permission = FsPermission.createImmutable((short) mode);
              short replication = 1;
              return system(by)
                  .create(
                      hadoop(place), permission, overwrite, 4_096, replication, 128 << 20, null);
            });
    if (made.isPresent()) {
      NodeId file = wanted.answer().id();
      tree.forgetGone();
      tree.rememberMade(file);
      write(file, made.get());
    }
  }

  private void append(Person by) throws IOException {
    Place place = anyPlace();
    ModelAnswer<NodeAttributes> wanted = paths.openForWriting(by.by(), place.path());
    Optional<FSDataOutputStream> opened =
        agree(
            "append to " + place.path() + " by " + by.user(),
            wanted,
            () -> system(by).append(hadoop(place)));
    if (opened.isPresent()) {
      assertEquals(wanted.answer().sizeBytes(), opened.get().getPos(), "it begins at the end");
      write(wanted.answer().id(), opened.get());
    }
  }

  /**
   * Writes, and has what was flushed read through all; the rest comes later, while others do
   * something else.
   */
  private void write(NodeId file, FSDataOutputStream out) throws IOException {
    int flushes = random.nextInt(3);
    for (int i = 0; i < flushes; i++) {
      byte[] bytes = anyBytes();
      out.write(bytes);
      if (random.nextBoolean()) {
        out.hflush();
      } else {
        out.hsync();
      }
      paths.append(file, bytes);
      if (tree.isKnown(file)) {
        tree.sameBytes(file);
      }
    }
    byte[] last = random.nextInt(4) == 0 ? new byte[0] : anyBytes();
    out.write(last);
    tree.unsettled(file, () -> close(file, out, last));
    if (random.nextBoolean()) {
      tree.settle(file);
    }
  }

  private void close(NodeId file, FSDataOutputStream out, byte[] last) {
    boolean isThere = now(file) != null;
    try {
      out.close();
    } catch (IOException e) {
      // What lost its last name meanwhile may be gone; nothing else may fail.
      if (isThere) {
        throw new UncheckedIOException("close of " + file, e);
      }
    }
    if (isThere) {
      if (last.length > 0) {
        paths.append(file, last);
      }
      if (tree.isKnown(file)) {
        tree.sameEverywhere(file);
        tree.sameBytes(file);
      }
    }
  }

  private void read(Person by) throws IOException {
    Place place = anyPlace();
    ModelAnswer<NodeAttributes> wanted = paths.openForReading(by.by(), place.path());
    Optional<FSDataInputStream> opened =
        agree(
            "open of " + place.path() + " by " + by.user(),
            wanted,
            () -> system(by).open(hadoop(place)));
    if (opened.isPresent()) {
      try (FSDataInputStream in = opened.get()) {
        byte[] all = paths.bytes(wanted.answer().id());
        int from = random.nextInt(all.length + 1);
        byte[] part = new byte[random.nextInt(all.length - from + 1)];
        in.readFully(from, part);
        assertArrayEquals(Arrays.copyOfRange(all, from, from + part.length), part, place.path());
        assertArrayEquals(all, in.readAllBytes(), place.path());
      }
    }
  }

  /** Into a directory that is there, or to a name that is not. */
  private void rename(Person by) throws IOException {
    Place source = anyPlace();
    Place target = anyPlace();
    if (target.path().startsWith(source.path())) {
      return;
    }
    ModelAnswer<Boolean> wanted = paths.rename(by.by(), source.path(), target.path(), false);
    if (wanted.status() == Nfs3Client.EXIST && isDirectory(target.path())) {
      String inside = target.path() + "/" + source.name();
      if (inside.equals(source.path())) {
        return;
      }
      wanted = paths.rename(by.by(), source.path(), inside, false);
    }
    boolean isDone;
    try {
      isDone = system(by).rename(hadoop(source), hadoop(target));
    } catch (AccessControlException e) {
      isDone = false;
    }
    tree.count("rename", isDone);
    assertEquals(
        wanted.isDone(),
        isDone,
        "rename of " + source.path() + " to " + target.path() + " by " + by.user() + ": " + wanted);
    if (isDone) {
      tree.forgetGone();
    }
  }

  private boolean isDirectory(String path) {
    return paths.find(path).filter(node -> now(node).type() == NodeType.DIRECTORY).isPresent();
  }

  /** As Hadoop's {@code rename} with {@code Options.Rename.OVERWRITE}. */
  private void renameOver(Person by) throws IOException {
    Place source = anyPlace();
    Place target = anyPlace();
    boolean below = target.path().startsWith(source.path());
    if (below || leadsTo(source, target)) {
      return;
    }
    ModelAnswer<Boolean> wanted = paths.rename(by.by(), source.path(), target.path(), true);
    Optional<Boolean> seen =
        agree(
            "replace of " + target.path() + " with " + source.path() + " by " + by.user(),
            wanted,
            () -> {
              system(by).renameExactly(hadoop(source), hadoop(target), true);
              return true;
            });
    if (seen.isPresent()) {
      tree.forgetGone();
    }
  }

  /** Hadoop refuses to put a link in the place of what it leads to. */
  private boolean leadsTo(Place source, Place target) {
    ModelAnswer<String> link = paths.linkTarget(tree.root().by(), source.path());
    return link.isDone() && link.answer().endsWith(target.name());
  }

  private void delete(Person by) throws IOException {
    Place place = anyPlace();
    boolean recursive = by == tree.root() && random.nextBoolean();
    tree.settleAll();
    ModelAnswer<Boolean> wanted = paths.remove(by.by(), place.path(), recursive);
    Optional<Boolean> seen =
        agree(
            "delete of " + place.path() + " by " + by.user(),
            wanted,
            () -> system(by).delete(hadoop(place), recursive));
    if (seen.isPresent()) {
      assertEquals(wanted.answer(), seen.get(), place.path());
      assertFalse(paths.find(place.directory(), place.name()).isPresent());
      tree.forgetGone();
    }
  }

  private void makeDirectory(Person by) throws IOException {
    Place place = anyPlace();
    int mode = new int[] {0777, 01777, 0755, 0700}[random.nextInt(4)];
    boolean isNew = paths.find(place.directory(), place.name()).isEmpty();
    ModelAnswer<NodeAttributes> wanted = paths.makeDirectory(by.by(), place.path(), mode);
    Optional<Boolean> seen =
        agree(
            "mkdirs of " + place.path() + " by " + by.user(),
            wanted,
            () -> system(by).mkdirs(hadoop(place), FsPermission.createImmutable((short) mode)));
    if (seen.isPresent() && isNew) {
      tree.rememberMade(wanted.answer().id());
    }
  }

  private void list(Person by) throws IOException {
    Place place = anyPlace();
    tree.settleAll();
    ModelAnswer<Map<String, NodeAttributes>> wanted = paths.list(by.by(), place.path());
    Optional<FileStatus[]> seen =
        agree(
            "listStatus of " + place.path() + " by " + by.user(),
            wanted,
            () -> system(by).listStatus(hadoop(place)));
    if (seen.isPresent()) {
      Map<String, FileStatus> entries = new TreeMap<>();
      boolean isAlone = wanted.answer().containsKey("");
      for (FileStatus status : seen.get()) {
        entries.put(isAlone ? "" : status.getPath().getName(), status);
      }
      assertEquals(wanted.answer().keySet(), entries.keySet(), place.path());
      for (Map.Entry<String, NodeAttributes> each : wanted.answer().entrySet()) {
        same(each.getValue(), entries.get(each.getKey()));
      }
    }
  }

  private void status(Person by) throws IOException {
    Place place = anyPlace();
    boolean follow = random.nextBoolean();
    ModelAnswer<NodeAttributes> wanted = paths.status(by.by(), place.path(), follow);
    Optional<FileStatus> seen =
        agree(
            "getFileStatus of " + place.path() + " by " + by.user(),
            wanted,
            () ->
                follow
                    ? system(by).getFileStatus(hadoop(place))
                    : system(by).getFileLinkStatus(hadoop(place)));
    if (seen.isPresent()) {
      same(wanted.answer(), seen.get());
    }
  }

  /** What Hadoop tells of a node, and what gateways told of the same state. */
  private void same(NodeAttributes wanted, FileStatus seen) {
    String what = wanted.id() + " at " + seen.getPath();
    assertEquals(wanted.type() == NodeType.DIRECTORY, seen.isDirectory(), what);
    assertEquals(wanted.type() == NodeType.SYMLINK, seen.isSymlink(), what);
    if (wanted.type() == NodeType.FILE) {
      assertEquals(wanted.sizeBytes(), seen.getLen(), what);
    }
    assertEquals(
        Integer.toOctalString(wanted.mode() & MODE_BITS),
        Integer.toOctalString(seen.getPermission().toShort()),
        what);
    assertEquals(wanted.owner(), seen.getOwner(), what);
    assertEquals(wanted.group(), seen.getGroup(), what);
    if (tree.isKnown(wanted.id())) {
      assertEquals(tree.toldMtime(wanted.id()) / 1_000_000, seen.getModificationTime(), what);
    }
    TreeMap<Long, Long> ofNode = changeNumbers.computeIfAbsent(wanted.id(), id -> new TreeMap<>());
    long number = ((WeftFileStatus) seen).changeNumber();
    var earlier = ofNode.lowerEntry(wanted.ctimeNanos());
    assertTrue(earlier == null || earlier.getValue() < number, what + ": change number");
    ofNode.putIfAbsent(wanted.ctimeNanos(), number);
  }

  private void set(Person by) throws IOException {
    Place place = anyPlace();
    switch (random.nextInt(3)) {
      case 0 -> {
        int mode = random.nextInt(8) == 0 ? 01770 : 0400 + random.nextInt(0400);
        set(
            by,
            place,
            ModelPaths.mode(mode),
            "setPermission",
            path -> system(by).setPermission(path, FsPermission.createImmutable((short) mode)));
      }
      case 1 -> {
        String owner = random.nextBoolean() ? String.valueOf(1000 + random.nextInt(2)) : null;
        String group =
            owner == null || random.nextBoolean() ? String.valueOf(100 + random.nextInt(2)) : null;
        set(
            by,
            place,
            wish(Optional.ofNullable(owner), Optional.ofNullable(group), TimeWish.KEEP),
            "setOwner",
            path -> system(by).setOwner(path, owner, group));
      }
      default -> {
        long millis = random.nextInt(1_000_000_000);
        set(
            by,
            place,
            wish(Optional.empty(), Optional.empty(), new TimeWish.At(millis * 1_000_000)),
            "setTimes",
            path -> system(by).setTimes(path, millis, -1));
      }
    }
  }

  private static AttributesWish wish(
      Optional<String> owner, Optional<String> group, TimeWish mtime) {
    return new AttributesWish(
        OptionalInt.empty(), owner, group, OptionalLong.empty(), TimeWish.KEEP, mtime);
  }

  /** Sets something of a path. */
  @FunctionalInterface
  private interface Setting {
    void of(Path path) throws IOException;
  }

  private void set(Person by, Place place, AttributesWish wish, String what, Setting setting)
      throws IOException {
    ModelAnswer<NodeAttributes> wanted = paths.set(by.by(), place.path(), wish);
    Optional<Boolean> seen =
        agree(
            what + " of " + place.path() + " by " + by.user() + " " + wish,
            wanted,
            () -> {
              setting.of(hadoop(place));
              return true;
            });
    if (seen.isPresent() && tree.isKnown(wanted.answer().id())) {
      tree.sameEverywhere(wanted.answer().id());
    }
  }

  private void truncate(Person by) throws IOException {
    Place place = anyPlace();
    ModelAnswer<NodeAttributes> file = paths.status(by.by(), place.path(), true);
    long size = file.isDone() ? random.nextInt((int) file.answer().sizeBytes() + 1) : 0;
    if (file.isDone() && file.answer().type() != NodeType.FILE) {
      // Of what is no file Hadoop compares the length before it asks for the kind.
      size = 0;
    }
    long newSize = size;
    ModelAnswer<NodeAttributes> wanted = paths.truncate(by.by(), place.path(), newSize);
    Optional<Boolean> seen =
        agree(
            "truncate of " + place.path() + " by " + by.user() + " to " + newSize,
            wanted,
            () -> system(by).truncate(hadoop(place), newSize));
    if (seen.isPresent()) {
      assertTrue(seen.get(), "the cut is done");
      if (tree.isKnown(wanted.answer().id())) {
        tree.sameEverywhere(wanted.answer().id());
        tree.sameBytes(wanted.answer().id());
      }
    }
  }

  private void link(Person by) throws IOException {
    Place place = anyPlace();
    if (random.nextInt(3) == 0) {
      ModelAnswer<String> wanted = paths.linkTarget(by.by(), place.path());
      Optional<Path> seen =
          agree(
              "getLinkTarget of " + place.path() + " by " + by.user(),
              wanted,
              () -> system(by).getLinkTarget(hadoop(place)));
      seen.ifPresent(target -> assertEquals(wanted.answer(), target.toString()));
      return;
    }
    String target = procedures.anyTarget();
    ModelAnswer<NodeAttributes> wanted = paths.link(by.by(), target, place.path());
    Optional<Boolean> seen =
        agree(
            "createSymlink of " + place.path() + " by " + by.user(),
            wanted,
            () -> {
              system(by).createSymlink(new Path(target), hadoop(place), false);
              return true;
            });
    if (seen.isPresent()) {
      tree.rememberMade(wanted.answer().id());
    }
  }

  /** Files are not joined, and that is said. */
  static void assertNoConcat(FileSystem system) {
    assertThrows(
        UnsupportedOperationException.class,
        () -> system.concat(new Path("/a"), new Path[] {new Path("/b")}));
  }
}
