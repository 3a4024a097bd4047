package org.weft.protocol.id;

/**
 * What every write carries: the number of the grant it runs under and its sequence number (P 5.1).
 */
public record WriteId(long grant, long sequence) {
  @Override
  public String toString() {
    return new Lsn(grant) + "#" + sequence;
  }
}
