package org.weft.client.internal;

/** A client of the Java API, which holds its parts for {@link ClientParts#of}. */
public abstract class PartsHolder {
  private final ClientParts parts;

  protected PartsHolder(ClientParts parts) {
    this.parts = parts;
  }

  /** What the client consists of. */
  final ClientParts parts() {
    return parts;
  }
}
