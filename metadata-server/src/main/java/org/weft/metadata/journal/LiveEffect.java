package org.weft.metadata.journal;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.weft.protocol.capability.HandleKey;
import org.weft.protocol.capability.SessionSecret;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.layout.ByteRanges;
import org.weft.protocol.layout.OwnedStripes;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.rpc.MessageText;

/**
 * An effect on live state, which only the journal has; snapshots carry it over (P 6.4). Each is of
 * one family. The tables of that family apply it and say it again in a snapshot, and a codec of its
 * own encodes it.
 */
public sealed interface LiveEffect extends Effect
    permits LiveEffect.OfVolume,
        LiveEffect.OfSessions,
        LiveEffect.OfGrants,
        LiveEffect.OfFiles,
        LiveEffect.OfCopies,
        LiveEffect.OfRepairs,
        LiveEffect.OfQuotas,
        LiveEffect.OfScrub,
        LiveEffect.OfLocks {
  /**
   * The volume was made; said again when it gets a key for handles.
   *
   * @param handleKey empty until then
   */
  record VolumeCreated(
      PartitionId volume, int metaCopies, long createdMillis, Optional<HandleKey> handleKey)
      implements OfVolume {
    public VolumeCreated {
      Objects.requireNonNull(volume, "volume");
      Objects.requireNonNull(handleKey, "handleKey");
    }
  }

  /**
   * A client's session began.
   *
   * @param nonce chosen by the client: a repeated request finds its session
   * @param slots reply slots it was given
   * @param secret its requests are signed with it; empty if an earlier release opened it
   * @param keeping empty: its byte-range locks go with it
   * @param cachesReads it may have been granted the reading of objects, which no journal holds
   * @param trusted its client has shown that it has the join token
   * @param followsCuts its client handles a shared file that another client truncates
   */
  record SessionOpened(
      SessionId session,
      String user,
      List<String> groups,
      String clientName,
      long nonce,
      int slots,
      long openedMillis,
      Optional<SessionSecret> secret,
      Optional<LockKeeping> keeping,
      boolean cachesReads,
      boolean trusted,
      boolean followsCuts)
      implements OfSessions {
    /**
     * As earlier releases opened it: not trusted, without locks that are kept, and without caching.
     */
    public SessionOpened(
        SessionId session,
        String user,
        List<String> groups,
        String clientName,
        long nonce,
        int slots,
        long openedMillis,
        Optional<SessionSecret> secret) {
      this(
          session,
          user,
          groups,
          clientName,
          nonce,
          slots,
          openedMillis,
          secret,
          Optional.empty(),
          false,
          false,
          false);
    }

    public SessionOpened {
      Objects.requireNonNull(session, "session");
      Objects.requireNonNull(user, "user");
      groups = List.copyOf(groups);
      Objects.requireNonNull(clientName, "clientName");
      Objects.requireNonNull(secret, "secret");
      Objects.requireNonNull(keeping, "keeping");
    }

    /** Says nothing that would help to act as the client. */
    @Override
    public String toString() {
      return "SessionOpened[session=" + session + ", user=" + user + ", " + clientName + "]";
    }
  }

  /** The session ended, and its reply slots with it. */
  record SessionClosed(SessionId session) implements OfSessions {}

  /**
   * A client may write a file.
   *
   * @param number LSN of the record in which this effect stands
   * @param first the first of the grants of which this one is the continuation without the
   *     components that its writer lost (P 5.8); else the number itself
   * @param clientName shown to clients that wait
   * @param shared others may write the file too (P 6.5)
   */
  record GrantOpened(
      Lsn number,
      Lsn first,
      ObjectId object,
      SessionId session,
      StorageMap map,
      long sinceMillis,
      String clientName,
      boolean shared)
      implements OfGrants {
    /** The grant of a client that writes alone. */
    public GrantOpened(
        Lsn number,
        Lsn first,
        ObjectId object,
        SessionId session,
        StorageMap map,
        long sinceMillis,
        String clientName) {
      this(number, first, object, session, map, sinceMillis, clientName, false);
    }

    public GrantOpened {
      Objects.requireNonNull(number, "number");
      Objects.requireNonNull(first, "first");
      Objects.requireNonNull(object, "object");
      Objects.requireNonNull(session, "session");
      Objects.requireNonNull(map, "map");
      Objects.requireNonNull(clientName, "clientName");
    }
  }

  /**
   * The grant ended and everything written under it is complete.
   *
   * @param completeUpTo last write sequence number; carried to the OSDs with the attributes that
   *     the same record puts (P 5.4); 0 for none
   */
  record GrantClosed(Lsn number, ObjectId object, long completeUpTo) implements OfGrants {}

  /**
   * The pending writes of the grant are to be decided (P 5.5). Other grants on the file, which are
   * shared, are superseded.
   *
   * @param renewing its holder has lost a component, and gets another grant afterwards; else it is
   *     gone, and the grant is closed
   */
  record GrantResolving(Lsn number, ObjectId object, boolean renewing) implements OfGrants {
    /** The writer is gone. */
    public GrantResolving(Lsn number, ObjectId object) {
      this(number, object, false);
    }
  }

  /**
   * The grants were taken from their holders; the same record ends them or has them resolved.
   *
   * @param why a sentence for the holders; a long one loses its middle
   */
  record GrantsRevoked(List<Lsn> numbers, String why) implements OfGrants {
    public GrantsRevoked {
      numbers = List.copyOf(numbers);
      why = MessageText.cut(why);
    }
  }

  /** The file of a grant that is being resolved has another map. */
  record GrantMoved(Lsn number, ObjectId object, StorageMap map) implements OfGrants {
    public GrantMoved {
      Objects.requireNonNull(map, "map");
    }
  }

  /** The grant, which is shared, owns these ranges of its file and no others (P 6.5). */
  record GrantRanges(Lsn number, ObjectId object, OwnedStripes owned) implements OfGrants {
    public GrantRanges {
      Objects.requireNonNull(number, "number");
      Objects.requireNonNull(object, "object");
      Objects.requireNonNull(owned, "owned");
    }
  }

  /**
   * The grant is fenced, and its holder is to ask for another. Follows for all other writers of a
   * shared file from the end of one of them; said for itself in snapshots.
   */
  record GrantSuperseded(Lsn number, ObjectId object) implements OfGrants {}

  /**
   * The answer to the request with this number in this slot of the session.
   *
   * @param repeat by which a repeat of it in another session is known; empty: there is none
   */
  record Reply(
      SessionId session, int slot, long sequence, ByteString bytes, Optional<RepeatKey> repeat)
      implements OfSessions {
    public Reply(SessionId session, int slot, long sequence, ByteString bytes) {
      this(session, slot, sequence, bytes, Optional.empty());
    }

    public Reply {
      Objects.requireNonNull(session, "session");
      Objects.requireNonNull(bytes, "bytes");
      Objects.requireNonNull(repeat, "repeat");
    }
  }

  /** What a counter counts. */
  enum CounterKind {
    OBJECT,
    SESSION,
    /** How many files and directories have a name: the next value is the count itself. */
    FILES,
    /** A grant below it makes no components any more, however long it is held (P 6.6). */
    CREATE_FLOOR,
    /**
     * No file's time that was reported without a record is later than this: nanoseconds since 1970.
     */
    TOLD_UP_TO
  }

  /** The next number that the counter gives out. */
  record Counter(CounterKind kind, long next) implements OfVolume {}

  /**
   * The object has no name any more but is still written or open for reading; it is removed when it
   * is neither. After a restart it is kept until every session has said what it has open (P 6.5).
   *
   * @param holders every OSD of its map
   */
  record OrphanAdded(ObjectId object, List<OsdId> holders) implements OfGrants {
    public OrphanAdded {
      Objects.requireNonNull(object, "object");
      holders = List.copyOf(holders);
    }
  }

  /** The object is no orphan any more. */
  record OrphanRemoved(ObjectId object) implements OfGrants {}

  /**
   * The file's map calls the component missing, and it waits to be rebuilt (P 5.8).
   *
   * @param osd where it was
   * @param component its index in the map
   */
  record RepairAdded(ObjectId object, OsdId osd, int component) implements OfRepairs {
    public RepairAdded {
      Objects.requireNonNull(object, "object");
      Objects.requireNonNull(osd, "osd");
    }
  }

  /** The component needs no rebuild: it is whole again, or the file is gone. */
  record RepairRemoved(ObjectId object, OsdId osd, int component) implements OfRepairs {
    public RepairRemoved {
      Objects.requireNonNull(object, "object");
      Objects.requireNonNull(osd, "osd");
    }
  }

  /**
   * One component of a file that has no writer is being written anew on another OSD, beside
   * whatever the map says of it (P 6.8). Until that ends successfully, what is written there is no
   * part of the file.
   *
   * @param component its index in the map
   * @param target the OSD that it is written to
   * @param number LSN of the record in which this effect stands; it is written under it
   * @param generation of the map that it is computed by
   * @param moves the OSD that has it is drained: it may be put into the map while that OSD is up
   * @param bytes that it will hold, at most
   * @param inPlace the target has the component, and single blocks of it are written anew. They are
   *     not removed if the rebuild fails (P 6.8b)
   * @param balances with moves: the OSD that has it is not drained, but holds more than others
   */
  record RebuildBegun(
      ObjectId object,
      int component,
      OsdId target,
      Lsn number,
      int generation,
      boolean moves,
      long bytes,
      boolean inPlace,
      boolean balances)
      implements OfRepairs {
    /** On an OSD without the component. */
    public RebuildBegun(
        ObjectId object,
        int component,
        OsdId target,
        Lsn number,
        int generation,
        boolean moves,
        long bytes) {
      this(object, component, target, number, generation, moves, bytes, false, false);
    }

    public RebuildBegun {
      Objects.requireNonNull(object, "object");
      Objects.requireNonNull(target, "target");
      Objects.requireNonNull(number, "number");
    }
  }

  /** No component of the file is being written anew any more, whatever the result was. */
  record RebuildEnded(ObjectId object) implements OfRepairs {
    public RebuildEnded {
      Objects.requireNonNull(object, "object");
    }
  }

  /**
   * The OSD is drained or removed, and all others have answered. No map of the volume names it (P
   * 6.8). A manager that starts does not search for it again.
   *
   * @param cleared false: this is over, since the OSD may be used again
   * @param drain number of the drain for which that was found; it does not hold for a later one. 0:
   *     the OSD was removed without being drained
   */
  record OsdStanding(OsdId osd, boolean cleared, long drain) implements OfRepairs {
    public OsdStanding {
      Objects.requireNonNull(osd, "osd");
    }
  }

  /**
   * A component has moved away from an OSD that serves clients, and a client with an older map may
   * read it there (P 5.8, 6.8). The file is not written until the component is removed there, as
   * {@link LaggingCleared} says.
   */
  record ComponentLeft(ObjectId object, OsdId osd) implements OfRepairs {
    public ComponentLeft {
      Objects.requireNonNull(object, "object");
      Objects.requireNonNull(osd, "osd");
    }
  }

  /**
   * The grant has ended, but what was written under it may be lost with an OSD's power until a
   * checkpoint there (P 5.9). Follows from the end of a grant; said for itself in snapshots.
   */
  record GrantUnsettled(Lsn number, ObjectId object, StorageMap map) implements OfGrants {
    public GrantUnsettled {
      Objects.requireNonNull(number, "number");
      Objects.requireNonNull(object, "object");
      Objects.requireNonNull(map, "map");
    }
  }

  /**
   * What was decided of OSDs that lost power while the grant was open or unsettled (P 5.9). It
   * replaces all earlier decisions.
   */
  record GrantSuspects(Lsn number, ObjectId object, SuspectOsds osds) implements OfGrants {
    public GrantSuspects {
      Objects.requireNonNull(number, "number");
      Objects.requireNonNull(object, "object");
      Objects.requireNonNull(osds, "osds");
    }
  }

  /**
   * Some of the file's bytes are lost, or may be older than what was acknowledged. An operator is
   * told until the file is gone (P 5.9). Replaces an earlier such effect on the file.
   *
   * @param what a sentence with the file and what can be done; empty: the warning ends
   * @param gone bytes of the file that are gone, as far as they are known by their places; at most
   *     {@link #MAX_GONE} ranges
   */
  record FileDamaged(ObjectId object, String what, ByteRanges gone) implements OfFiles {
    public static final int MAX_GONE = 1_000;

    /** The damaged bytes are unknown. */
    public FileDamaged(ObjectId object, String what) {
      this(object, what, ByteRanges.NONE);
    }

    public FileDamaged {
      Objects.requireNonNull(object, "object");
      Objects.requireNonNull(what, "what");
      if (gone.size() > MAX_GONE) {
        throw new IllegalArgumentException("more than " + MAX_GONE + " ranges: " + gone.size());
      }
    }
  }

  /**
   * Whether writers of the file publish lengths of it without a record (P 4.3, 6.4). Then readers
   * may have been told more than its attributes say. A manager that starts asks the writers, or
   * reads what they left, before it tells any client.
   *
   * @param live false: its attributes, as the record puts them, hold all that was published
   */
  record LengthLive(ObjectId object, boolean live) implements OfFiles {
    public LengthLive {
      Objects.requireNonNull(object, "object");
    }
  }

  /** What was written under the grant is under checkpoints everywhere, or given up. */
  record GrantSettled(Lsn number) implements OfGrants {}

  /** What a lagging copy waits for. */
  enum LaggingKind {
    /** Attributes (and a directory's blocks) are to be written again from the other copies. */
    REFRESH,
    /** The object is to be removed. */
    REMOVE
  }

  /**
   * The copy of the object's metadata on the OSD missed something while the OSD was down. It is
   * never read until it is cleared. A later one for the same copy replaces an earlier one.
   *
   * @param lsn of the removal, for REMOVE; {@link Lsn#ZERO} otherwise
   * @param rebuilt the object is not gone: the OSD's part of it was written anew elsewhere
   */
  record LaggingAdded(OsdId osd, ObjectId object, LaggingKind kind, Lsn lsn, boolean rebuilt)
      implements OfCopies {
    /** No part of it was written anew elsewhere. */
    public LaggingAdded(OsdId osd, ObjectId object, LaggingKind kind, Lsn lsn) {
      this(osd, object, kind, lsn, false);
    }

    public LaggingAdded {
      Objects.requireNonNull(osd, "osd");
      Objects.requireNonNull(object, "object");
      Objects.requireNonNull(kind, "kind");
      Objects.requireNonNull(lsn, "lsn");
    }
  }

  /** The copy holds everything again, under a checkpoint. */
  record LaggingCleared(OsdId osd, ObjectId object) implements OfCopies {}

  /** An effect on the volume as a whole: how it was made, and its counters. */
  sealed interface OfVolume extends LiveEffect {}

  /** An effect on clients' sessions, and on the answers to their requests (P 6.4). */
  sealed interface OfSessions extends LiveEffect {}

  /** An effect on write grants, open or ended, and on files without a name that are written. */
  sealed interface OfGrants extends LiveEffect {}

  /** An effect on what is known of a file beside its attributes. */
  sealed interface OfFiles extends LiveEffect {}

  /** An effect on copies of metadata that lag (P 6.3). */
  sealed interface OfCopies extends LiveEffect {}

  /** An effect on components that are missing or lost, and on their repair (P 6.8). */
  sealed interface OfRepairs extends LiveEffect {}

  /** An effect on the usage of trees (P 6.6a): a {@link QuotaEffect}. */
  sealed interface OfQuotas extends LiveEffect permits QuotaEffect {}

  /** An effect of the scrub of parity (P 6.8f): a {@link ScrubEffect}. */
  sealed interface OfScrub extends LiveEffect permits ScrubEffect {}

  /** An effect on byte-range locks (P 6.5): a {@link LockEffect}. */
  sealed interface OfLocks extends LiveEffect permits LockEffect {}
}
