package org.weft.nfs.oncrpc;

/** Why a caller was not believed: auth_stat, RFC 5531 section 9. */
public enum AuthStatus {
  BAD_CREDENTIAL(1),
  REJECTED_CREDENTIAL(2),
  BAD_VERIFIER(3),
  REJECTED_VERIFIER(4),
  TOO_WEAK(5);

  private final int number;

  AuthStatus(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }
}
