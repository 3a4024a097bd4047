package org.weft.simulator.run;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What is simulated. */
public enum Profile {
  /** A whole cluster, with names, files and everything that goes wrong. */
  CLUSTER("a whole cluster: names and files of several clients, every kind of fault"),
  /** A whole cluster whose clients only change and read a few files. */
  DATA("a small cluster whose clients change and read a few files"),
  /** As DATA, with files that several clients write at the same time. */
  SHARED("a small cluster whose clients write the same files at the same time"),
  /** As DATA and SHARED, with small writes that are gathered before they are sent. */
  GATHER("a small cluster whose clients gather small writes, alone and beside others"),
  /** As DATA, with records that are appended and flushed. */
  LOG("a small cluster whose clients append records to files that others look at"),
  /** As DATA, with a little that is appended again and again, an OSD out of reach in between. */
  APPEND("a small cluster whose clients append a little, and lose sight of an OSD"),
  /** A whole cluster whose clients are all in the same few stripes. */
  HOT("a small cluster whose clients change, read and remove at the same few places"),
  /** Directories of many names, and everything that goes wrong. */
  NAMES("a cluster with directories that grow to thousands of names, and shrink again"),
  /** A world that lives for a minute or two, with little work and rare kinds of harm. */
  LASTING("a cluster for a minute or two: flapping OSDs, volumes that come and go, late leases"),
  /** A whole cluster whose volumes have a primary and a backup. */
  PAIRS("a whole cluster of two or three managers, each the backup of another"),
  /** As DATA and PAIRS, with clients that lock ranges of a file. */
  LOCKS("a small cluster whose clients lock ranges of a file, mostly with pairs of managers"),
  /** A whole cluster that rebuilds what OSDs held that are lost for good, or seem to be. */
  REPAIR("a whole cluster whose OSDs are lost for good, or away for long, and are rebuilt"),
  /** As REPAIR, with OSDs that leave the BladeSet and come back by a merge, and racks. */
  SETS("as repair, with racks, and BladeSets that are split and merged"),
  /** As REPAIR, and bits rot on disks. */
  ROT("a whole cluster on whose disks bits rot, beside all else that is repaired"),
  /** As REPAIR, and managers compare the parity of files with their data beside all writers. */
  SCRUB("a whole cluster whose managers compare parity with data beside all writers"),
  /** A whole cluster whose clients cache what they were granted for reading. */
  CACHED("a whole cluster whose clients look at the same things often, and cache them"),
  /** A whole cluster whose SysMgr members elect their leader, lose their disks and are replaced. */
  MEMBERS("a whole cluster whose SysMgr members vote, die at every step, and are replaced"),
  /** As DATA, with quotas on directories that come and go. */
  QUOTA("a cluster whose directories have quotas: writers with shares die, names move"),
  /** As DATA, with hosts that write files through gateways of NFS, which die. */
  NFS("a small cluster whose files are written by NFS, too: gateways die, pages are sent again"),
  /** One store under an OSD, beside a model of it. */
  STORE("the store of one OSD beside a model of it, with power losses and kills");

  private final String meaning;

  Profile(String meaning) {
    this.meaning = meaning;
  }

  /** As users write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  String meaning() {
    return meaning;
  }

  /** The one of that name. */
  public static Profile of(String word) {
    return Arrays.stream(values())
        .filter(profile -> profile.word().equals(word))
        .findFirst()
        .orElseThrow(() -> new UsageException("no profile '" + word + "'; there are " + words()));
  }

  static List<String> words() {
    return Arrays.stream(values()).map(Profile::word).toList();
  }
}
