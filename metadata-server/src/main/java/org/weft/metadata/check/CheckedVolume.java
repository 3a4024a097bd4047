package org.weft.metadata.check;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.CompletionStage;
import org.weft.client.stripe.check.ParityReport;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.directory.NamedEntry;
import org.weft.metadata.objects.cache.NameTally;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.StorageMap;

/**
 * A served volume as its check sees it. Called on the volume's thread; stages complete there too,
 * within a deadline, and fail with an {@link org.weft.protocol.error.WeftException}.
 */
public interface CheckedVolume extends OsdHoldings {
  /** Objects whose standing one call may ask for. */
  int MAX_STATES = 2_048;

  /**
   * A page of a directory's names.
   *
   * @param directory its attributes at the moment in which the names were read; empty: it is gone
   * @param unfound names of the page that do not lead to their nodes when they are looked up
   */
  record Entries(
      Optional<Attributes> directory,
      List<NamedEntry> names,
      SortedSet<String> unfound,
      boolean end) {}

  /**
   * False: no manager serves it, and what writers have left is not resolved while it is looked at.
   */
  boolean isServed();

  /** OSDs that answer managers, and are not in quarantine for the volume. */
  SortedSet<OsdId> serving();

  /** All OSDs of the volume's BladeSet that are not removed. */
  SortedSet<OsdId> all();

  /** Each node has its attributes on so many OSDs, while none of them is away. */
  int leastHolders();

  /** OSDs that must hold a node's attributes, each with the index that its object carries. */
  SortedMap<OsdId, Integer> attributeCopies(StorageMap map);

  /** OSDs that must hold a directory's blocks, each with the index that its object carries. */
  SortedMap<OsdId, Integer> directoryCopies(StorageMap map);

  /** How many nodes the volume has. */
  long expectedObjects();

  /**
   * A tree with a quota, and how much it holds (P 6.6a).
   *
   * @param parent the tree around it; may be none
   * @param path where its directory was when its quota was set
   * @param counted its usage has been counted
   * @param bytes lengths of its files, those of trees within it included
   * @param files nodes of it, its directory among them
   * @param lastChange another number once the tree or its usage has changed
   */
  record TreeUsage(
      ObjectId parent, String path, boolean counted, long bytes, long files, long lastChange) {}

  /** All trees, by their directories. */
  Map<ObjectId, TreeUsage> trees();

  /** LSN of the newest record. */
  Lsn lastLsn();

  /** Completes when all that is decided now is on the OSDs, as far as they are there. */
  CompletionStage<Void> flushed();

  /** Blocks of a directory; those that were never written are left out. */
  CompletionStage<SortedMap<Integer, byte[]>> blocks(
      OsdId osd, ObjectId directory, List<Integer> numbers);

  /**
   * The states of objects, each at one moment. Objects whose state is unknown are left out.
   *
   * @param assumed attributes that count as those of these objects, so that they need not be loaded
   */
  CompletionStage<Map<ObjectId, NodeState>> states(
      List<ObjectId> objects, Map<ObjectId, Attributes> assumed);

  /**
   * As {@link #states}, but nothing is said of names: so no directory need be loaded.
   *
   * @param assumed as there
   */
  CompletionStage<Map<ObjectId, NodeState>> nodes(
      List<ObjectId> objects, Map<ObjectId, Attributes> assumed);

  /** As {@link #nodes}, of one object; fails with the cause if its state is unknown. */
  CompletionStage<NodeState> node(ObjectId object);

  /** The state of a name at one moment; fails with the cause if it is unknown. */
  CompletionStage<NameState> name(ObjectId directory, String name);

  /**
   * The next names of a directory, at most so many; the tally passes them at the moment in which
   * they are read. Fails if no copy gives them.
   */
  CompletionStage<Entries> entries(NameTally tally, int max);

  /** From now on the tally gets each change of a name. */
  void watch(NameTally tally);

  void unwatch(NameTally tally);

  /** From the volume's root, as the attributes tell; empty if they lead nowhere. */
  CompletionStage<String> path(ObjectId object);

  /** What live state says of the object now. */
  LiveNode live(ObjectId object);

  /** From now on grants on it are counted. */
  void watch(ObjectId object);

  void unwatch(ObjectId object);

  /**
   * Compares the parity of some stripes of a file that is not written with their data.
   *
   * @param fromStripe the first of them
   * @param most at least one
   */
  CompletionStage<ParityReport> parity(Attributes file, long fromStripe, long most);
}
