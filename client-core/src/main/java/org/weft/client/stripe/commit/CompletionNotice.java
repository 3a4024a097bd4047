package org.weft.client.stripe.commit;

import org.weft.client.osd.BatchCall;
import org.weft.client.stripe.base.WriteTerms;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.wire.CompleteRequest;

/**
 * A message to one component: which writes are complete (P 5.4).
 *
 * @param upTo every write of the grant up to here is complete
 * @param eofBytes length of the file, which complete writes have established
 * @param tries how often it was told in vain
 */
record CompletionNotice(
    CompletionSource source, WriteTerms terms, int component, long upTo, long eofBytes, int tries) {
  /** The latest word to a component takes the place of those before. */
  record Key(CompletionSource source, int component) {}

  /** An OSD in quarantine serves each volume when that volume's manager says so (P 5.8). */
  record Destination(OsdId osd, PartitionId volume) implements Comparable<Destination> {
    @Override
    public int compareTo(Destination other) {
      int byOsd = osd.compareTo(other.osd);
      return byOsd != 0 ? byOsd : volume.compareTo(other.volume);
    }
  }

  CompletionNotice(
      CompletionSource source, WriteTerms terms, int component, long upTo, long eofBytes) {
    this(source, terms, component, upTo, eofBytes, 0);
  }

  Key key() {
    return new Key(source, component);
  }

  Destination destination() {
    return new Destination(terms.file().map().osdOf(component), terms.file().name().partition());
  }

  /** Of two words to a component the one that was made later. */
  static CompletionNotice later(CompletionNotice one, CompletionNotice other) {
    int byGrant = Long.compare(one.terms.grant().number(), other.terms.grant().number());
    int order = byGrant != 0 ? byGrant : Long.compare(one.upTo, other.upTo);
    return order > 0 ? one : other;
  }

  /** To be said once more. */
  CompletionNotice again() {
    return new CompletionNotice(source, terms, component, upTo, eofBytes, tries + 1);
  }

  BatchCall call() {
    return BatchCall.complete(
        terms.file().capability(),
        CompleteRequest.newBuilder()
            .setObjectId(terms.file().name().object().value())
            .setGrant(terms.grant().number())
            .setCompleteUpTo(upTo)
            .setEof(eofBytes)
            .setTruncationNumber(terms.grant().truncationNumber()));
  }
}
