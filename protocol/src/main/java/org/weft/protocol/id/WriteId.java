package org.weft.protocol.id;

/**
 * What every write carries: the number of the grant it runs under and its sequence number (P 5.1).
 */
public record WriteId(long grant, long sequence) {
  @Override
  public String toString() {
    return new Lsn(grant) + "#" + sequence;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof WriteId that && grant == that.grant && sequence == that.sequence;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(grant) + Long.hashCode(sequence);
  }
}
