// Receives and verifies webhooks. Needs Go 1.19 or later, and no module.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const bodyMax = 1024 * 1024

// Event is the body of a webhook. The data of "notes" is the body of GET /notes.
type Event struct {
	Type string
	Data struct {
		Message string
		Data    []struct {
			ChainID     string `json:"chainid"`
			Coupon      string `json:"coupon"`
			ValidBefore string `json:"signature_valid_before"`
		}
	}
}

// isGenuine returns whether the service signed this request in the last 5 minutes. body is as it was received.
func isGenuine(header http.Header, body []byte, key []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return false
	}
	if age := time.Since(time.Unix(seconds, 0)); age < -5*time.Minute || age > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(expected), []byte(given)) {
			return true
		}
	}
	return false
}

func process(event Event) {
	if event.Type != "notes" {
		fmt.Println(event.Type, event.Data.Message)
	}
	for _, note := range event.Data.Data {
		fmt.Printf("chain %s: %s bps until %s\n", note.ChainID, note.Coupon, note.ValidBefore)
	}
}

func main() {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil || len(key) == 0 {
		log.Fatal("WEBHOOK_SECRET is not a secret of a webhook")
	}
	var lock sync.Mutex
	processed := map[string]bool{} // In production: a table of your database, kept for 4 days.
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		// Without a length, ContentLength is -1.
		if request.ContentLength < 0 || request.ContentLength > bodyMax {
			response.Header().Set("Connection", "close") // Nobody waits for the rest of the body.
			response.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		body, err := io.ReadAll(request.Body)
		var event Event
		if err != nil || !isGenuine(request.Header, body, key) || json.Unmarshal(body, &event) != nil {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		lock.Lock()
		defer lock.Unlock()
		if id := request.Header.Get("webhook-id"); !processed[id] {
			process(event)
			processed[id] = true
		}
		response.WriteHeader(http.StatusNoContent)
	})
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr().(*net.TCPAddr).Port)
	server := http.Server{ReadTimeout: 15 * time.Second}
	log.Fatal(server.Serve(listener))
}
