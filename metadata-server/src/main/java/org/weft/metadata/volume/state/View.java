package org.weft.metadata.volume.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.DirectoryPage;
import org.weft.metadata.directory.NamedEntry;
import org.weft.metadata.objects.Loadable;
import org.weft.metadata.objects.Missing;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.volume.length.VolatileLengths;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;

/**
 * The namespace as one execution sees it: the cache, with the execution's own draft over it. It
 * remembers the newest LSN it has shown, since the reply must not leave before that is durable (P
 * 6.1). Whatever changes in a directory or a node changes its attributes under the same LSN.
 */
public final class View {
  private final MetadataCache cache;
  private final Draft draft;
  private final VolatileLengths lengths;
  private final Lsn lastLsn;
  private Lsn seen = Lsn.ZERO;

  /**
   * @param lastLsn of the newest record applied to the cache
   */
  public View(MetadataCache cache, Draft draft, VolatileLengths lengths, Lsn lastLsn) {
    this.cache = cache;
    this.draft = draft;
    this.lengths = lengths;
    this.lastLsn = lastLsn;
  }

  /** The newest LSN that was looked at. */
  public Lsn seen() {
    return seen;
  }

  /** What was looked at has no LSN of its own: everything up to now counts as seen. */
  public void sawAll() {
    seen = lastLsn;
  }

  /**
   * Attributes of an object that was named by its id.
   *
   * @param what names it in the message
   * @throws WeftException NOT_FOUND if there is no such object. The root is in every volume that is
   *     served. For it: TOO_MANY_LOST if every copy is lost, OSDS_SILENT if OSDs that do not answer
   *     may have one
   */
  public Attributes attributes(ObjectId object, List<OsdId> hints, Object what)
      throws NeedsInput, WeftException {
    return find(object, hints)
        .orElseThrow(
            () ->
                object.equals(ObjectId.ROOT)
                    ? outOfReach(object, what)
                    : lost(ErrorCode.NOT_FOUND, what, cache.lostReason(object)));
  }

  /**
   * Attributes of what an entry leads to.
   *
   * @throws WeftException TOO_MANY_LOST if every copy of them is lost; OSDS_SILENT if OSDs that do
   *     not answer may have one
   */
  public Attributes attributes(DirectoryEntry entry, Object what) throws NeedsInput, WeftException {
    return find(entry.object(), entry.hints()).orElseThrow(() -> outOfReach(entry.object(), what));
  }

  /**
   * Why there are no attributes of an object that there must be: TOO_MANY_LOST, or OSDS_SILENT if
   * OSDs that do not answer may have them.
   *
   * @param what names it in the message
   */
  public WeftException outOfReach(ObjectId object, Object what) {
    ErrorCode code =
        mayHaveAttributes(object).isEmpty() ? ErrorCode.TOO_MANY_LOST : ErrorCode.OSDS_SILENT;
    return lost(code, what, cache.lostReason(object));
  }

  /** Attributes of an object; empty if no OSD gives them, or it was removed. */
  public Optional<Attributes> find(ObjectId object, List<OsdId> hints) throws NeedsInput {
    Optional<Attributes> drafted = draft.attributes(object);
    if (drafted.isPresent()) {
      return drafted;
    }
    Optional<Attributes> found = ready(cache.attributes(object, hints));
    found.ifPresentOrElse(this::saw, this::sawAll);
    return found.map(lengths::shown);
  }

  /**
   * For attributes that were not found: OSDs that may have them, but do not answer. Empty: they are
   * lost for good.
   */
  public SortedSet<OsdId> mayHaveAttributes(ObjectId object) {
    return cache.mayHaveAttributes(object);
  }

  /** OSDs whose copy of the object's metadata is out of date, or to be removed. */
  public SortedSet<OsdId> laggingOn(ObjectId object) {
    return cache.laggingOn(object);
  }

  /** Objects that an OSD may still hold and must not, at most so many. */
  public List<ObjectId> removalsAt(OsdId osd, int max) {
    return cache.removalsAt(osd, max);
  }

  /** A record has removed the object; another name may lead to it still. */
  public boolean isBeingRemoved(ObjectId object) {
    return draft.removes(object) || cache.isBeingRemoved(object);
  }

  private static WeftException lost(ErrorCode code, Object what, String reason) {
    return new WeftException(code, what + ": " + reason);
  }

  /** Where a name leads; the directory's attributes have been looked at before. */
  public Optional<DirectoryEntry> lookup(ObjectId directory, String name) throws NeedsInput {
    if (draft.isNewDirectory(directory)) {
      return Optional.empty();
    }
    return ready(cache.lookup(directory, name));
  }

  /** Entries behind the cookie; the directory's attributes have been looked at before. */
  public DirectoryPage page(ObjectId directory, long afterCookie, int maxEntries)
      throws NeedsInput {
    return ready(cache.readdir(directory, afterCookie, maxEntries));
  }

  /**
   * Attributes of everything that the entries lead to, in their order; empty where they are lost.
   *
   * @throws WeftException UNAVAILABLE while it is not known how long one of them is
   */
  public List<Optional<Attributes>> attributesOf(List<NamedEntry> entries)
      throws NeedsInput, WeftException {
    List<Loadable<Optional<Attributes>>> answers = new ArrayList<>(entries.size());
    for (NamedEntry named : entries) {
      if (named.entry().kind() == NodeKind.VOLUME) {
        // Its own manager knows them.
        answers.add(Loadable.ready(Optional.empty()));
        continue;
      }
      answers.add(cache.attributes(named.entry().object(), named.entry().hints()));
    }
    List<Optional<Attributes>> found = ready(Loadable.all(answers));
    List<Optional<Attributes>> shown = new ArrayList<>(found.size());
    for (Optional<Attributes> attributes : found) {
      if (attributes.isPresent()) {
        saw(attributes.get());
        lengths.requireHeard(attributes.get().object());
      }
      shown.add(attributes.map(lengths::shown));
    }
    return shown;
  }

  private void saw(Attributes attributes) {
    if (attributes.changeLsn().compareTo(seen) > 0) {
      seen = attributes.changeLsn();
    }
  }

  private static <T> T ready(Loadable<T> answer) throws NeedsInput {
    List<Missing> missing = answer.missing();
    if (!missing.isEmpty()) {
      throw new NeedsInput(missing);
    }
    return answer.value();
  }
}
