package org.weft.simulator.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.weft.simulator.check.BrokenRule;
import org.weft.simulator.check.FileHistory;
import org.weft.simulator.check.LockHistory;
import org.weft.simulator.check.NameHistory;
import org.weft.simulator.world.World;

/** Requests of all clients in one world, with the answers. */
public final class Histories {
  private final World world;
  private final NameHistory names = new NameHistory();
  private final SortedMap<Long, FileHistory> files = new TreeMap<>();

  /** Cells of the one file that clients lock. */
  static final int LOCKED_CELLS = 6;

  private final LockHistory locks = new LockHistory(LOCKED_CELLS);
  private final List<BrokenRule> findings = new ArrayList<>();
  private long moments;
  private int writes;

  public Histories(World world) {
    this.world = world;
  }

  /** The next moment: nothing else happens in it. */
  public long moment() {
    return ++moments;
  }

  /** Virtual time. */
  public long nanos() {
    return world.time().nowNanos();
  }

  public NameHistory names() {
    return names;
  }

  /** Answers about locks. */
  public LockHistory locks() {
    return locks;
  }

  /** What is known of a file, from its making on. */
  public FileHistory file(long objectId) {
    return files.computeIfAbsent(objectId, id -> new FileHistory("object " + id));
  }

  /** By object id. */
  SortedMap<Long, FileHistory> files() {
    return files;
  }

  /** A number for a write that no other has. */
  int nextWrite() {
    return writes++;
  }

  /** Something that must not be, whatever the histories say. */
  public void found(String rule, String text) {
    note("simulator", () -> "FOUND " + rule + ": " + text);
    findings.add(new BrokenRule(rule, text));
  }

  public void note(String actor, Supplier<String> what) {
    world.trace().note(actor, what);
  }

  /** Everything that is wrong. */
  public List<BrokenRule> check() {
    List<BrokenRule> all = new ArrayList<>(findings);
    names.check().ifPresent(all::add);
    all.addAll(locks.check());
    files.values().forEach(file -> all.addAll(file.check()));
    return all;
  }

  /** How many things were asked for or looked at. */
  public int operations() {
    return names.size()
        + writes
        + files.values().stream().mapToInt(FileHistory::observations).sum();
  }

  /** 1 if the names' history was too long to decide about. */
  public int undecided() {
    return names.undecided();
  }
}
