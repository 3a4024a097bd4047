package org.weft.metadata.scrub;

import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.CompletionStage;
import org.weft.metadata.journal.ScrubEffect;
import org.weft.metadata.journal.ScrubEffect.Contradicted;
import org.weft.metadata.journal.ScrubEffect.Reached;
import org.weft.protocol.id.ObjectId;

/** What the scrub of parity writes to the volume's journal. Called on the volume's thread. */
public interface ScrubJournal {
  /** How far it was when that was recorded last. */
  Reached reached();

  /** Files that are named now. */
  SortedMap<ObjectId, Contradicted> contradicted();

  /** Completes on the volume's thread, once it is durable. */
  CompletionStage<Void> record(List<ScrubEffect> effects);
}
