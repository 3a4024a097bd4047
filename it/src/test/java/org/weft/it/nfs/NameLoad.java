package org.weft.it.nfs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.weft.nfs.model.Nfs3Client;
import org.weft.nfs.model.Nfs3Client.Result;

/**
 * A program that makes, moves and removes names in a directory of its own, which no other program
 * changes. So it knows the answer to each call. A MKDIR that was carried out and is answered EXIST
 * at its repeat is an error that reaches the program. Confined to one thread.
 */
final class NameLoad implements MountProgram {
  private static final int NAMES = 24;
  private static final int LISTED_EVERY = 20;
  private static final int PAGE_BYTES = 32 << 10;

  private enum Kind {
    FILE,
    DIRECTORY,
    SYMLINK
  }

  /** What stands at a name; links of one file share it. */
  private static final class Node {
    final Kind kind;
    final byte[] handle;
    int links = 1;
    int mode;

    Node(Kind kind, byte[] handle, int mode) {
      this.kind = kind;
      this.handle = handle;
      this.mode = mode;
    }
  }

  private final String name;
  private final HardMount mount;
  private final HardMount other;
  private final Findings findings;
  private final Random random;

  /** Two directories, for names that move between them. */
  private final List<byte[]> directories = new ArrayList<>();

  private final List<Map<String, Node>> trees = List.of(new TreeMap<>(), new TreeMap<>());
  private int rounds;

  NameLoad(
      String name, HardMount mount, HardMount other, byte[] parent, Findings findings, long seed)
      throws ProgramError {
    this.name = name;
    this.mount = mount;
    this.other = other;
    this.findings = findings;
    this.random = new Random(seed);
    for (int i = 0; i < trees.size(); i++) {
      String each = name + "-" + i;
      Nfs3Client.Set mode = Nfs3Client.Set.mode(0755);
      directories.add(mount.must("MKDIR " + each, nfs -> nfs.mkDir(parent, each, mode)).handle);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void round() throws ProgramError {
    int at = random.nextInt(trees.size());
    byte[] directory = directories.get(at);
    Map<String, Node> tree = trees.get(at);
    String entry = "n" + random.nextInt(NAMES);
    Node node = tree.get(entry);
    if (node == null) {
      make(directory, tree, entry);
    } else {
      change(at, entry, node);
    }
    findings.count("name operations");
    if (++rounds % LISTED_EVERY == 0) {
      list(at, random.nextBoolean() ? mount : other);
    }
  }

  @Override
  public void finish() throws ProgramError {
    for (int at = 0; at < trees.size(); at++) {
      list(at, mount);
      list(at, other);
    }
  }

  private void make(byte[] directory, Map<String, Node> tree, String entry) throws ProgramError {
    int mode = 0600 | random.nextInt(0100);
    Nfs3Client.Set set = Nfs3Client.Set.mode(mode);
    switch (random.nextInt(7)) {
      case 0, 1 -> {
        Result made = mount.must("MKDIR " + entry, nfs -> nfs.mkDir(directory, entry, set));
        tree.put(entry, new Node(Kind.DIRECTORY, made.handle, mode));
      }
      case 2 -> {
        Result made =
            mount.must("CREATE (GUARDED) " + entry, nfs -> nfs.create(directory, entry, true, set));
        tree.put(entry, new Node(Kind.FILE, made.handle, mode));
      }
      case 3 -> {
        long verifier = random.nextLong();
        Result made =
            mount.must(
                "CREATE (EXCLUSIVE) " + entry,
                nfs -> nfs.createExclusive(directory, entry, verifier));
        mount.must("SETATTR " + entry, nfs -> nfs.setAttr(made.handle, set, null));
        tree.put(entry, new Node(Kind.FILE, made.handle, mode));
      }
      case 4 -> {
        byte[] target = ("../" + entry).getBytes(java.nio.charset.StandardCharsets.UTF_8);
        Result made = mount.must("SYMLINK " + entry, nfs -> nfs.symlink(directory, entry, target));
        Result read = mount.must("READLINK " + entry, nfs -> nfs.readLink(made.handle));
        if (!Arrays.equals(target, read.data)) {
          throw new ProgramError("READLINK " + entry + " says something else");
        }
        tree.put(entry, new Node(Kind.SYMLINK, made.handle, -1));
      }
      case 5 -> link(directory, tree, entry);
      default -> {
        mount.must("REMOVE of no " + entry, Nfs3Client.NOENT, nfs -> nfs.remove(directory, entry));
        mount.must("LOOKUP of no " + entry, Nfs3Client.NOENT, nfs -> nfs.lookup(directory, entry));
      }
    }
  }

  private void link(byte[] directory, Map<String, Node> tree, String entry) throws ProgramError {
    for (Node node : tree.values()) {
      if (node.kind == Kind.FILE) {
        mount.must("LINK " + entry, nfs -> nfs.link(node.handle, directory, entry));
        node.links++;
        tree.put(entry, node);
        return;
      }
    }
  }

  private void change(int at, String entry, Node node) throws ProgramError {
    byte[] directory = directories.get(at);
    Map<String, Node> tree = trees.get(at);
    switch (random.nextInt(6)) {
      case 0, 1 -> {
        if (node.kind == Kind.DIRECTORY) {
          mount.must("RMDIR " + entry, nfs -> nfs.rmDir(directory, entry));
        } else {
          mount.must("REMOVE " + entry, nfs -> nfs.remove(directory, entry));
        }
        node.links--;
        tree.remove(entry);
      }
      case 2, 3 -> rename(at, entry, node);
      case 4 -> {
        Nfs3Client.Set none = Nfs3Client.Set.NONE;
        mount.must(
            "MKDIR of a present " + entry,
            Nfs3Client.EXIST,
            nfs -> nfs.mkDir(directory, entry, none));
      }
      default -> {
        if (node.kind != Kind.SYMLINK) {
          int mode = random.nextInt(01000);
          Nfs3Client.Set set = Nfs3Client.Set.mode(mode);
          mount.must("SETATTR " + entry, nfs -> nfs.setAttr(node.handle, set, null));
          node.mode = mode;
        }
        look(other, directory, entry, node);
      }
    }
  }

  private void rename(int at, String entry, Node node) throws ProgramError {
    int to = random.nextInt(trees.size());
    String target = "n" + random.nextInt(NAMES);
    Node there = trees.get(to).get(target);
    byte[] from = directories.get(at);
    byte[] into = directories.get(to);
    boolean replaces = there == null || there.kind == Kind.FILE && node.kind == Kind.FILE;
    if (!replaces || at == to && entry.equals(target) || there == node) {
      return;
    }
    String what = "RENAME " + entry + " of " + at + " to " + target + " of " + to;
    mount.must(what, nfs -> nfs.rename(from, entry, into, target));
    if (there != null) {
      there.links--;
    }
    trees.get(at).remove(entry);
    trees.get(to).put(target, node);
    mount.must("LOOKUP of the moved " + entry, Nfs3Client.NOENT, nfs -> nfs.lookup(from, entry));
    look(mount, into, target, node);
  }

  private void look(HardMount by, byte[] directory, String entry, Node node) throws ProgramError {
    Result found = by.must("LOOKUP " + entry, nfs -> nfs.lookup(directory, entry));
    if (!Arrays.equals(node.handle, found.handle)) {
      throw new ProgramError(name + ": " + entry + " has another handle");
    }
    Result now = by.must("GETATTR " + entry, nfs -> nfs.getAttr(node.handle));
    if (node.mode >= 0 && now.node.mode() != node.mode) {
      throw new ProgramError(
          "%s: the mode of %s is %o in place of %o"
              .formatted(name, entry, now.node.mode(), node.mode));
    }
    if (node.kind == Kind.FILE && now.node.links() != node.links) {
      throw new ProgramError(
          "%s: %s has %d links in place of %d"
              .formatted(name, entry, now.node.links(), node.links));
    }
  }

  private void list(int at, HardMount by) throws ProgramError {
    byte[] directory = directories.get(at);
    Map<String, byte[]> found = new TreeMap<>();
    long cookie = 0;
    boolean end = false;
    while (!end) {
      long from = cookie;
      Result page =
          by.must("READDIRPLUS", nfs -> nfs.readDirPlus(directory, from, PAGE_BYTES, PAGE_BYTES));
      for (Nfs3Client.Entry entry : page.entries) {
        cookie = entry.cookie();
        if (!entry.name().equals(".") && !entry.name().equals("..")) {
          byte[] handle = entry.handle() == null ? new byte[0] : entry.handle();
          if (found.put(entry.name(), handle) != null) {
            throw new ProgramError(name + ": " + entry.name() + " is listed twice");
          }
        }
      }
      end = page.end;
    }
    Map<String, Node> tree = trees.get(at);
    if (!found.keySet().equals(tree.keySet())) {
      throw new ProgramError(
          name + ": " + found.keySet() + " are listed in place of " + tree.keySet());
    }
    for (Map.Entry<String, byte[]> each : found.entrySet()) {
      byte[] handle = each.getValue();
      if (handle.length > 0 && !Arrays.equals(handle, tree.get(each.getKey()).handle)) {
        throw new ProgramError(name + ": " + each.getKey() + " is listed with another handle");
      }
    }
    findings.count("listings");
  }
}
