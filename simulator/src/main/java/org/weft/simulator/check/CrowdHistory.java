package org.weft.simulator.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The names of one large directory. Each name has one owner, which waits for the answer to one
 * change before it makes the next. So listings of other clients can be checked name by name. A name
 * that did not change during a listing must be seen as it was (P 6.7). A change without an answer
 * leaves its name in doubt for good.
 */
public final class CrowdHistory {
  private static final int MAX_SHOWN = 5;

  private final String directory;
  private final SortedMap<String, Entry> entries = new TreeMap<>();
  private final List<BrokenRule> findings = new ArrayList<>();
  private int present;
  private int doubtful;

  /** The history of one name. */
  private static final class Entry {
    /** 0 while there is no such name. */
    long objectId;

    /** Answers from this moment on say so, unless it is changing or in doubt. */
    long since;

    boolean changing;
    boolean doubtful;

    boolean isStable(long start) {
      return !changing && !doubtful && since < start;
    }
  }

  /** An empty directory. */
  public CrowdHistory(String directory) {
    this.directory = directory;
  }

  private Entry entry(String name) {
    return entries.computeIfAbsent(name, any -> new Entry());
  }

  /** Names that are there for certain. */
  public int present() {
    return present;
  }

  /** The name is there for certain, and is not changing. */
  public boolean isPresent(String name) {
    Entry entry = entries.get(name);
    return entry != null && !entry.changing && !entry.doubtful && entry.objectId != 0;
  }

  /** The name is not there for certain, and is not changing. */
  public boolean isAbsent(String name) {
    Entry entry = entries.get(name);
    return entry == null || !entry.changing && !entry.doubtful && entry.objectId == 0;
  }

  /** The object that a name leads to; 0 if it leads nowhere. */
  public long objectOf(String name) {
    Entry entry = entries.get(name);
    return entry == null ? 0 : entry.objectId;
  }

  /** Its owner asks for a change of the name. */
  public void asked(String name) {
    entry(name).changing = true;
  }

  /**
   * The change was acknowledged.
   *
   * @param objectId that the name leads to now; 0 for none
   */
  public void done(String name, long moment, long objectId) {
    Entry entry = entry(name);
    present += (objectId == 0 ? 0 : 1) - (entry.objectId == 0 ? 0 : 1);
    entry.objectId = objectId;
    entry.since = moment;
    entry.changing = false;
  }

  /** Nothing is known of the name any more. */
  public void doubted(String name) {
    Entry entry = entry(name);
    if (!entry.doubtful) {
      entry.doubtful = true;
      doubtful++;
      present -= entry.objectId == 0 ? 0 : 1;
    }
  }

  /** The owner of names is dead: what it was about to change is in doubt. */
  public void ownerDied(Collection<String> names) {
    names.stream().filter(name -> entry(name).changing).toList().forEach(this::doubted);
  }

  /** The change was refused although its owner knew better. */
  public void refused(String name, String change, String answer) {
    found(change + " was refused with " + answer + ", with " + told(name));
    doubted(name);
  }

  /**
   * A client looked a name up.
   *
   * @param start when it asked
   * @param objectId of the answer; 0 for no such name
   */
  public void looked(String name, long start, long objectId) {
    Entry entry = entry(name);
    if (entry.isStable(start) && entry.objectId != objectId) {
      found("a look at " + shown(name) + " found object " + objectId + ", with " + told(name));
    }
  }

  /** A listing, page by page. It is judged when it is at its end. */
  public final class Listing {
    private final long start;
    private final SortedMap<String, Long> seen = new TreeMap<>();
    private final List<String> twice = new ArrayList<>();

    private Listing(long start) {
      this.start = start;
    }

    /** An entry of a page. */
    public void saw(String name, long objectId) {
      if (seen.put(name, objectId) != null) {
        twice.add(name);
      }
    }

    /** The directory has no more entries. */
    public void ended() {
      List<String> wrong = new ArrayList<>();
      for (String name : twice) {
        if (entry(name).isStable(start)) {
          wrong.add(shown(name) + " was listed twice");
        }
      }
      entries.forEach(
          (name, entry) -> {
            long told = seen.getOrDefault(name, 0L);
            if (entry.isStable(start) && told != entry.objectId) {
              wrong.add(shown(name) + " was listed as object " + told + ", with " + told(name));
            }
          });
      seen.keySet().stream()
          .filter(name -> !entries.containsKey(name))
          .forEach(name -> wrong.add(shown(name) + " was listed and never made"));
      if (!wrong.isEmpty()) {
        found(
            "a listing of "
                + seen.size()
                + " names from moment "
                + start
                + " on is wrong in "
                + wrong.size()
                + ": "
                + wrong.subList(0, Math.min(MAX_SHOWN, wrong.size())));
      }
    }

    /** How many names it saw. */
    public int size() {
      return seen.size();
    }
  }

  /** A client begins to list all names. */
  public Listing listing(long start) {
    return new Listing(start);
  }

  /** The directory says how many names it has, while none changes. */
  public void counted(long entriesTold, int listed) {
    if (entriesTold != listed) {
      found("it says that it has " + entriesTold + " entries, and lists " + listed);
    }
    if (listed < present || listed > present + doubtful) {
      found(listed + " are listed; " + present + " are there and " + doubtful + " are in doubt");
    }
  }

  private String told(String name) {
    Entry entry = entry(name);
    return entry.objectId == 0
        ? "no such name since moment " + entry.since
        : "object " + entry.objectId + " since moment " + entry.since;
  }

  /** A name for people: without what makes it long. */
  public static String shown(String name) {
    int end = name.indexOf('~');
    return end < 0 ? name : name.substring(0, end) + "~";
  }

  private void found(String text) {
    findings.add(
        new BrokenRule("a large directory is not what it was told to be", directory + ": " + text));
  }

  /** Everything that is wrong. */
  public List<BrokenRule> check() {
    return List.copyOf(findings);
  }
}
