package org.weft.metadata.journal;

/**
 * One absolute result of a record (P 6.3). It says what something is from now on, never what to do
 * to it, so that applying it again changes nothing.
 */
public sealed interface Effect permits ObjectEffect, LiveEffect {}
