/**
 * Reads files (DESIGN 5). It plans which components are read, sends requests to OSDs and decodes
 * what is lost. It looks a second time beside a writer (P 5.6), and reads ahead. Uses {@code base}
 * and {@code hedge}.
 */
package org.weft.client.stripe.read;
